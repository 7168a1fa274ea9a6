//! φ of a whole table as a stream of bytes, for the writers.

use std::io::{self, Write};
use std::ops::Range;

use attacks::signals::plane::Number;
use attacks::signals::shadow::{Meaning, Rescale};
use half::f16;

use super::table::ShadowTable;

/// Records converted together.
const BLOCK: usize = 4096;

/// How φ is written: as it was stored, or in full width where it had to be computed.
pub(crate) fn number(table: &ShadowTable) -> Number {
    let computed = !matches!(table.outputs.meaning, Meaning::Phi);
    let planes = table.outputs.planes.iter().map(|plane| plane.number);
    match planes.max_by_key(|number| number.size()) {
        Some(number) if !computed => number,
        _ => Number::F64,
    }
}

/// The extents of φ; the augmentations are left out where there is one.
pub(crate) fn shape(table: &ShadowTable) -> Vec<usize> {
    match table.augmentations() {
        1 => vec![table.models(), table.records()],
        augmentations => vec![table.models(), table.records(), augmentations],
    }
}

/// All of φ as [models, records, augmentations], little-endian.
pub(crate) fn write(table: &ShadowTable, out: &mut impl Write) -> io::Result<()> {
    let number = number(table);
    let mut bytes = Vec::new();
    for model in 0..table.models() {
        for first in (0..table.records()).step_by(BLOCK) {
            let records = first..table.records().min(first + BLOCK);
            bytes.clear();
            for value in block(table, model, records) {
                encode(number, value, &mut bytes);
            }
            out.write_all(&bytes)?;
        }
    }
    Ok(())
}

/// φ of one model on a run of records, the augmentations of a record side by side.
pub(crate) fn block(table: &ShadowTable, model: usize, records: Range<usize>) -> Vec<f64> {
    let augmentations = table.augmentations();
    let mut one = vec![0.0; records.len()];
    let mut all = vec![0.0; records.len() * augmentations];
    for augmentation in 0..augmentations {
        let run = records.clone();
        table
            .outputs
            .phi(model, run, augmentation, Rescale::Exact, &mut one);
        let slots = all.iter_mut().skip(augmentation).step_by(augmentations);
        slots.zip(&one).for_each(|(slot, value)| *slot = *value);
    }
    all
}

fn encode(number: Number, value: f64, bytes: &mut Vec<u8>) {
    match number {
        Number::F16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
        Number::F32 => bytes.extend((value as f32).to_le_bytes()),
        Number::F64 => bytes.extend(value.to_le_bytes()),
    }
}
