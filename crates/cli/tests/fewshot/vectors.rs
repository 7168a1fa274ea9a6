//! Features to audit, as the files that hold them.

use std::io::Write;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// Vectors of records, of which the first half are members.
#[derive(Clone)]
pub struct Vectors {
    pub width: usize,
    pub values: Vec<f64>,
    pub members: Vec<bool>,
}

impl Vectors {
    /// Normal noise; members are moved by `gain` along the first axis.
    pub fn new(records: usize, width: usize, gain: f64) -> Self {
        let mut random = Random(7);
        let members: Vec<bool> = (0..records).map(|record| record < records / 2).collect();
        let mut values = Vec::with_capacity(records * width);
        for &member in &members {
            let shift = if member { gain } else { 0.0 };
            values.extend((0..width).map(|axis| {
                let moved = if axis == 0 { shift } else { 0.0 };
                random.normal() + moved
            }));
        }
        Self {
            width,
            values,
            members,
        }
    }

    pub fn records(&self) -> usize {
        self.members.len()
    }

    pub fn shape(&self) -> [usize; 2] {
        [self.records(), self.width]
    }

    /// An npz with `features` and `member`.
    pub fn npz(&self) -> Vec<u8> {
        npz(&[
            ("features", floats(&self.shape(), &self.values)),
            ("member", flags(&[self.records()], &self.members)),
        ])
    }
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let (radius, angle) = (self.uniform().max(1e-300), self.uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

fn npy(element: &str, shape: &[usize], body: Vec<u8>) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent},")).collect();
    let text =
        format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({extents}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.as_bytes());
    file.extend(body);
    file
}

pub fn floats(shape: &[usize], values: &[f64]) -> Vec<u8> {
    let body = values.iter().flat_map(|value| value.to_le_bytes());
    npy("<f8", shape, body.collect())
}

pub fn flags(shape: &[usize], values: &[bool]) -> Vec<u8> {
    npy(
        "|b1",
        shape,
        values.iter().map(|flag| u8::from(*flag)).collect(),
    )
}

/// Text of up to four letters.
pub fn texts(values: &[String]) -> Vec<u8> {
    let padded = values.iter().flat_map(|text| {
        let mut bytes = text.clone().into_bytes();
        bytes.resize(4, 0);
        bytes
    });
    npy("|S4", &[values.len()], padded.collect())
}

pub fn npz(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), stored).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}
