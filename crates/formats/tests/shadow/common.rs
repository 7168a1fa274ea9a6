//! Small files made by hand.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use attacks::signals::shadow::Rescale;
use formats::shadow::{self, ShadowTable};
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

/// The bytes of a little-endian `.npy` file in C order.
pub fn npy(element: &str, shape: &[usize], data: Vec<u8>) -> Vec<u8> {
    let extents: String = shape.iter().map(|extent| format!("{extent},")).collect();
    let text =
        format!("{{'descr': '{element}', 'fortran_order': False, 'shape': ({extents}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((text.len() as u16).to_le_bytes());
    file.extend(text.as_bytes());
    file.extend(data);
    file
}

pub fn floats(shape: &[usize], values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    let data: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
    assert_eq!(data.len(), 4 * shape.iter().product::<usize>());
    npy("<f4", shape, data)
}

pub fn integers(shape: &[usize], values: impl IntoIterator<Item = i64>) -> Vec<u8> {
    npy(
        "<i8",
        shape,
        values.into_iter().flat_map(i64::to_le_bytes).collect(),
    )
}

pub fn flags(shape: &[usize], values: impl IntoIterator<Item = bool>) -> Vec<u8> {
    npy("|b1", shape, values.into_iter().map(u8::from).collect())
}

/// Names of at most 8 characters.
pub fn texts(values: &[&str]) -> Vec<u8> {
    let padded = values
        .iter()
        .flat_map(|value| value.chars().chain(std::iter::repeat('\0')).take(8));
    npy(
        "<U8",
        &[values.len()],
        padded.flat_map(|c| u32::from(c).to_le_bytes()).collect(),
    )
}

pub fn npz(path: &Path, method: CompressionMethod, arrays: &[(&str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in arrays {
        zip.start_file(format!("{name}.npy"), options).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

/// Writes a file and the folders above it.
pub fn put(path: PathBuf, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// φ of one model and augmentation.
pub fn phi(table: &ShadowTable, model: usize, augmentation: usize) -> Vec<f64> {
    let mut out = vec![0.0; table.records()];
    table.outputs.phi(
        model,
        0..table.records(),
        augmentation,
        Rescale::Exact,
        &mut out,
    );
    out
}

/// All of φ: by model, by augmentation, by record.
pub fn all_phi(table: &ShadowTable) -> Vec<Vec<Vec<f64>>> {
    let model = |m| {
        (0..table.augmentations())
            .map(|a| phi(table, m, a))
            .collect()
    };
    (0..table.models()).map(model).collect()
}

pub fn read(path: &Path) -> ShadowTable {
    shadow::read(path, None).unwrap()
}

/// What is said about an input that cannot be read.
pub fn refusal(path: &Path) -> String {
    shadow::read(path, None).unwrap_err().to_string()
}
