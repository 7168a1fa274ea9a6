//! Tests over every attack: what all must keep, what they must equal, and golden numbers.

mod contract;
mod golden;
mod identities;
mod offline;
mod peers;

use std::sync::Arc;

use stats::streams::{Seed, standard_normal, uniform};

use super::engine::{Request, run};
use super::statistics::Column;
use super::{ATTACKS, ShadowAttack, find};
use crate::Attack;
use crate::scores::Scores;
use crate::settings::Settings;
use crate::signals::bytes::Bytes;
use crate::signals::membership::MemberRow;
use crate::signals::plane::{Number, Plane};
use crate::signals::shadow::{Meaning, ModelOutputs, ShadowSignals};
use base::Progress;

/// Signals in the clear, for tests to compute with. Model 0 is the target.
#[derive(Clone)]
pub struct Data {
    pub phi: Vec<Vec<f64>>,
    pub keep: Vec<Vec<bool>>,
}

impl Data {
    /// As one logit per record, of two classes, and label 1: φ is that logit to the last bit.
    pub fn signals(&self) -> ShadowSignals {
        let labels = vec![1; self.phi[0].len()].into();
        self.signals_as(Meaning::Logits { labels, classes: 1 })
    }

    /// Each number rounded to single precision, and stored so.
    pub fn in_singles(&self) -> (Data, ShadowSignals) {
        let rounded = |row: &Vec<f64>| row.iter().map(|&phi| f64::from(phi as f32)).collect();
        let data = Data {
            phi: self.phi.iter().map(rounded).collect(),
            keep: self.keep.clone(),
        };
        let mut signals = data.signals_as(Meaning::Phi);
        let singles = |row: &Vec<f64>| Plane {
            bytes: Bytes::new(
                row.iter()
                    .flat_map(|&phi| (phi as f32).to_le_bytes())
                    .collect::<Vec<_>>(),
            ),
            number: Number::F32,
            record_stride: 4,
            ..plane(row)
        };
        let outputs = Arc::make_mut(&mut signals.outputs);
        outputs.planes = data.phi.iter().map(singles).collect();
        (data, signals)
    }

    pub fn signals_as(&self, meaning: Meaning) -> ShadowSignals {
        let records = self.phi[0].len();
        let planes = self.phi.iter().map(|row| plane(row)).collect();
        ShadowSignals {
            outputs: Arc::new(ModelOutputs {
                planes,
                meaning,
                labels: None,
                records,
                augmentations: 1,
                levels: None,
                right: None,
            }),
            target: 0,
            shadows: (1..self.phi.len()).collect(),
            members: self.keep[1..].iter().map(|row| member_row(row)).collect(),
        }
    }

    pub fn column(&self, record: usize) -> Column {
        Column {
            target: self.phi[0][record],
            phi: self.phi[1..].iter().map(|row| row[record]).collect(),
            inside: self.keep[1..].iter().map(|row| row[record]).collect(),
        }
    }

    /// The same records in another order.
    pub fn permuted(&self, order: &[usize]) -> Data {
        let pick_phi = |row: &Vec<f64>| order.iter().map(|&i| row[i]).collect();
        let pick_keep = |row: &Vec<bool>| order.iter().map(|&i| row[i]).collect();
        Data {
            phi: self.phi.iter().map(pick_phi).collect(),
            keep: self.keep.iter().map(pick_keep).collect(),
        }
    }
}

pub fn plane(row: &[f64]) -> Plane {
    let bytes: Vec<u8> = row.iter().flat_map(|x| x.to_le_bytes()).collect();
    Plane {
        bytes: Bytes::new(bytes),
        number: Number::F64,
        big_endian: false,
        offset: 0,
        record_stride: 8,
        augmentation_stride: 0,
        class_stride: 0,
    }
}

pub fn member_row(row: &[bool]) -> MemberRow {
    MemberRow::from_fn(row.len(), |record| row[record])
}

pub fn signals_of(target: &[f64], shadows: &[&[f64]], keep: &[&[bool]]) -> Data {
    let mut data = Data {
        phi: vec![target.to_vec()],
        keep: vec![vec![false; target.len()]],
    };
    data.phi.extend(shadows.iter().map(|row| row.to_vec()));
    data.keep.extend(keep.iter().map(|row| row.to_vec()));
    data
}

/// Records of mixed difficulty under models that gain `leak` of φ on what they trained on.
pub fn leaky_signals(records: usize, shadows: usize, leak: f64, seed: u64) -> Data {
    let mut rng = Seed(seed).stream("test signals");
    let difficulty: Vec<f64> = (0..records)
        .map(|_| 2.0 + 3.0 * standard_normal(&mut rng))
        .collect();
    let mut data = Data {
        phi: Vec::new(),
        keep: Vec::new(),
    };
    for _ in 0..=shadows {
        let keep: Vec<bool> = (0..records).map(|_| uniform(&mut rng) < 0.5).collect();
        let phi = (0..records)
            .map(|i| {
                difficulty[i] + leak * f64::from(u8::from(keep[i])) + standard_normal(&mut rng)
            })
            .collect();
        data.phi.push(phi);
        data.keep.push(keep);
    }
    data
}

/// Leaky signals in which every record has both classes of shadows.
pub fn random_signals(records: usize, shadows: usize, seed: u64) -> Data {
    let mut data = leaky_signals(records, shadows, 2.0, seed);
    for record in 0..records {
        data.keep[1][record] = true;
        data.keep[2][record] = false;
    }
    data
}

pub fn score_with(attack: &'static dyn ShadowAttack, data: &Data, settings: &Settings) -> Scores {
    let signals = data.signals();
    let request = Request {
        signals: &signals,
        population: None,
        settings,
        seed: Seed(0),
        progress: Progress::unwatched(),
    };
    run(&[attack], &request).unwrap().remove(0).scores.unwrap()
}

pub fn score(attack: &'static dyn ShadowAttack, data: &Data) -> Scores {
    score_with(attack, data, &Settings::default())
}

pub fn score_id(id: &str, data: &Data) -> Vec<f64> {
    score(find(id).unwrap(), data)
        .iter()
        .map(|score| score.unwrap())
        .collect()
}

pub fn settings(pairs: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (key, value) in pairs {
        settings
            .set(&<&dyn ShadowAttack>::settings(), key, value)
            .unwrap();
    }
    settings
}

/// The pair-count AUC, straight from its definition.
pub fn naive_auc(scores: &[f64], member: &[bool]) -> f64 {
    let (mut wins, mut pairs) = (0.0, 0.0);
    for (i, &inside) in scores.iter().enumerate().filter(|(i, _)| member[*i]) {
        let _ = i;
        for (_, &outside) in scores.iter().enumerate().filter(|(j, _)| !member[*j]) {
            pairs += 1.0;
            wins += if inside > outside {
                1.0
            } else if inside == outside {
                0.5
            } else {
                0.0
            };
        }
    }
    wins / pairs
}
