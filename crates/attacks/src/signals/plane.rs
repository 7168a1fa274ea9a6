//! One model's numbers as they lie in memory: any float width, either byte order, any stride.

use std::ops::Range;

use half::f16;
use stats::widest;

use super::bytes::Bytes;

/// How one number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    F16,
    F32,
    F64,
}

impl Number {
    pub fn size(self) -> usize {
        match self {
            Number::F16 => 2,
            Number::F32 => 4,
            Number::F64 => 8,
        }
    }
}

/// Where a number lies: `offset + record·record_stride + augmentation·augmentation_stride +
/// class·class_stride`, all in bytes.
#[derive(Clone, Debug)]
pub struct Plane {
    pub bytes: Bytes,
    pub number: Number,
    pub big_endian: bool,
    pub offset: usize,
    pub record_stride: usize,
    pub augmentation_stride: usize,
    pub class_stride: usize,
}

impl Plane {
    /// Copies the numbers of a run of records into `out`.
    ///
    /// # Panics
    /// When the plane does not reach that far: whoever builds a plane checks its extent first
    /// with [`Plane::fits`].
    pub fn read(&self, records: Range<usize>, augmentation: usize, class: usize, out: &mut [f64]) {
        let start = self.offset
            + records.start * self.record_stride
            + augmentation * self.augmentation_stride
            + class * self.class_stride;
        let source = &self.bytes.as_slice()[start..];
        let out = &mut out[..records.len()];
        match (self.number, self.big_endian) {
            (Number::F16, false) => fill(source, self.record_stride, out, |b| {
                f16::from_le_bytes(b).to_f64()
            }),
            (Number::F16, true) => fill(source, self.record_stride, out, |b| {
                f16::from_be_bytes(b).to_f64()
            }),
            // Most signals are stored this way.
            (Number::F32, false) if self.record_stride == 4 => widen(source.as_chunks().0, out),
            (Number::F32, false) => fill(source, self.record_stride, out, |b| {
                f64::from(f32::from_le_bytes(b))
            }),
            (Number::F32, true) => fill(source, self.record_stride, out, |b| {
                f64::from(f32::from_be_bytes(b))
            }),
            (Number::F64, false) => fill(source, self.record_stride, out, f64::from_le_bytes),
            (Number::F64, true) => fill(source, self.record_stride, out, f64::from_be_bytes),
        }
    }

    /// The bytes of little-endian single-precision numbers that lie side by side.
    pub(crate) fn singles(&self, records: Range<usize>, augmentation: usize) -> Option<&[[u8; 4]]> {
        if self.number != Number::F32 || self.big_endian || self.record_stride != 4 {
            return None;
        }
        let start = self.offset + records.start * 4 + augmentation * self.augmentation_stride;
        let bytes = &self.bytes.as_slice()[start..start + records.len() * 4];
        Some(bytes.as_chunks().0)
    }

    /// Copies all class values of one record.
    pub fn read_classes(&self, record: usize, augmentation: usize, out: &mut [f64]) {
        let by_class = Plane {
            record_stride: self.class_stride,
            offset: self.offset + record * self.record_stride,
            ..self.clone()
        };
        by_class.read(0..out.len(), augmentation, 0, out);
    }

    /// Whether every number of so many records, augmentations and classes lies inside the bytes.
    pub fn fits(&self, records: usize, augmentations: usize, classes: usize) -> bool {
        if records == 0 || augmentations == 0 || classes == 0 {
            return true;
        }
        let last = (records - 1)
            .checked_mul(self.record_stride)
            .and_then(|x| x.checked_add((augmentations - 1).checked_mul(self.augmentation_stride)?))
            .and_then(|x| x.checked_add((classes - 1).checked_mul(self.class_stride)?))
            .and_then(|x| x.checked_add(self.offset))
            .and_then(|x| x.checked_add(self.number.size()));
        last.is_some_and(|end| end <= self.bytes.as_slice().len())
    }
}

widest! {
    /// Single-precision numbers that lie side by side.
    fn widen(singles: &[[u8; 4]], out: &mut [f64]) -> () {
        for (slot, single) in out.iter_mut().zip(singles) {
            *slot = f64::from(f32::from_le_bytes(*single));
        }
    }
}

fn fill<const W: usize>(
    source: &[u8],
    stride: usize,
    out: &mut [f64],
    decode: impl Fn([u8; W]) -> f64,
) {
    if stride == W {
        let (numbers, _) = source.as_chunks::<W>();
        for (slot, bytes) in out.iter_mut().zip(numbers) {
            *slot = decode(*bytes);
        }
        return;
    }
    let mut at = 0;
    for slot in out {
        let mut bytes = [0; W];
        bytes.copy_from_slice(&source[at..at + W]);
        *slot = decode(bytes);
        at += stride;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(bytes: Vec<u8>, number: Number, big_endian: bool, record_stride: usize) -> Plane {
        Plane {
            bytes: Bytes::new(bytes),
            number,
            big_endian,
            offset: 0,
            record_stride,
            augmentation_stride: 0,
            class_stride: 0,
        }
    }

    #[test]
    fn every_width_and_byte_order_reads_the_same_numbers() {
        let numbers = [0.5f32, -2.0, 1024.0];
        let half_le: Vec<u8> = numbers
            .iter()
            .flat_map(|&x| f16::from_f32(x).to_le_bytes())
            .collect();
        let single_be: Vec<u8> = numbers.iter().flat_map(|x| x.to_be_bytes()).collect();
        let single_le: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        let double_le: Vec<u8> = numbers
            .iter()
            .flat_map(|&x| f64::from(x).to_le_bytes())
            .collect();
        for plane in [
            plane(half_le, Number::F16, false, 2),
            plane(single_be, Number::F32, true, 4),
            plane(single_le, Number::F32, false, 4),
            plane(double_le, Number::F64, false, 8),
        ] {
            let mut out = [0.0; 2];
            plane.read(1..3, 0, 0, &mut out);
            assert_eq!(out, [-2.0, 1024.0]);
        }
    }

    #[test]
    fn a_stride_skips_what_belongs_to_others() {
        let bytes: Vec<u8> = (0..6).flat_map(|x| (x as f32).to_le_bytes()).collect();
        let plane = plane(bytes, Number::F32, false, 8);
        let mut out = [0.0; 3];
        plane.read(0..3, 0, 0, &mut out);
        assert_eq!(out, [0.0, 2.0, 4.0]);
        assert!(plane.fits(3, 1, 1));
        assert!(!plane.fits(4, 1, 1));
    }
}
