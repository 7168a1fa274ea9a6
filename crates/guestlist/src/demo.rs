//! Signals for the demonstration: made by a formula, and said to be so.

use std::sync::Arc;

use attacks::signals::bytes::Bytes;
use attacks::signals::membership::MemberRow;
use attacks::signals::plane::{Number, Plane};
use attacks::signals::shadow::{Meaning, ModelOutputs};
use collect::shadow::{Saturation, ShadowTable};
use stats::streams::{Seed, shuffle, standard_normal, uniform};

pub const RECORDS: usize = 4000;
pub const MODELS: usize = 33;

/// What the report says of these signals.
pub const NOTE: &str = "the signals of this demonstration are synthetic: made by a formula, not \
                        by trained models; numbers describe the formula only";

/// Models × records of φ: each record has a difficulty, a spread over training runs, and an
/// amount by which training on it raises φ. Most records gain little, some gain a lot.
pub fn synthetic(seed: Seed) -> ShadowTable {
    let mut rng = seed.stream("demo records");
    let records: Vec<[f64; 3]> = (0..RECORDS)
        .map(|_| {
            let difficulty = 3.0 + 2.5 * standard_normal(&mut rng);
            let spread = 0.6 + 1.2 * uniform(&mut rng);
            let gain = 2.0 * uniform(&mut rng).powi(3) + if difficulty < 1.0 { 2.0 } else { 0.0 };
            [difficulty, spread, gain]
        })
        .collect();
    let members = balanced_splits(seed);
    let planes = members
        .iter()
        .enumerate()
        .map(|(model, row)| plane(seed, model as u64, row, &records))
        .collect();
    ShadowTable {
        outputs: Arc::new(ModelOutputs {
            planes,
            meaning: Meaning::Phi,
            records: RECORDS,
            augmentations: 1,
        }),
        members,
        ids: None,
        labels: None,
        format: "synthetic",
        sources: Vec::new(),
        notes: Vec::new(),
        saturated: Saturation::default(),
    }
}

/// Model 0 trains on a random half; every record is in exactly half of the others.
fn balanced_splits(seed: Seed) -> Vec<MemberRow> {
    let mut rng = seed.stream("demo splits");
    let trained: Vec<Vec<bool>> = (0..RECORDS)
        .map(|_| {
            let mut others: Vec<bool> = (1..MODELS).map(|model| model % 2 == 0).collect();
            shuffle(&mut rng, &mut others);
            others.insert(0, uniform(&mut rng) < 0.5);
            others
        })
        .collect();
    (0..MODELS)
        .map(|model| MemberRow::from_fn(RECORDS, |record| trained[record][model]))
        .collect()
}

fn plane(seed: Seed, model: u64, row: &MemberRow, records: &[[f64; 3]]) -> Plane {
    let mut rng = seed.numbered("demo model", model);
    let bytes: Vec<u8> = records
        .iter()
        .enumerate()
        .flat_map(|(record, [difficulty, spread, gain])| {
            let trained = if row.get(record) { *gain } else { 0.0 };
            let phi = difficulty + trained + spread * standard_normal(&mut rng);
            (phi as f32).to_le_bytes()
        })
        .collect();
    Plane {
        bytes: Bytes::new(bytes),
        number: Number::F32,
        big_endian: false,
        offset: 0,
        record_stride: 4,
        augmentation_stride: 0,
        class_stride: 0,
    }
}
