//! Synthetic shadow signals: small, the same on every machine, with as much leak as asked for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::npy::{flags, floats, texts};

/// Models × records, model by model.
#[derive(Clone)]
pub struct Signals {
    pub models: usize,
    pub records: usize,
    pub phi: Vec<f32>,
    pub keep: Vec<bool>,
    pub ids: Option<Vec<String>>,
}

impl Signals {
    /// Every record has its own difficulty; training on it raises φ by `gain`.
    pub fn new(models: usize, records: usize, gain: f64) -> Self {
        let mut random = Random(1);
        let difficulty: Vec<f64> = (0..records).map(|_| 3.0 + 2.0 * random.normal()).collect();
        let keep: Vec<bool> = (0..models * records)
            .map(|_| random.uniform() < 0.5)
            .collect();
        let phi = keep.iter().enumerate().map(|(place, &member)| {
            let trained = if member { gain } else { 0.0 };
            (difficulty[place % records] + trained + random.normal()) as f32
        });
        Signals {
            models,
            records,
            phi: phi.collect(),
            keep,
            ids: None,
        }
    }

    /// 9 models, 400 records; fails the default gate by far.
    pub fn leaky() -> Self {
        Self::new(9, 400, 2.0)
    }

    /// The same without a leak; passes the default gate.
    pub fn clean() -> Self {
        Self::new(9, 400, 0.0)
    }

    /// So few members that a guardrail is violated.
    pub fn too_few_members() -> Self {
        let mut signals = Self::new(9, 60, 2.0);
        signals.set_target_members(|record| record < 5);
        signals
    }

    pub fn set_target_members(&mut self, member: impl Fn(usize) -> bool) {
        for record in 0..self.records {
            self.keep[record] = member(record);
        }
    }

    pub fn with_ids(mut self, id: impl Fn(usize) -> String) -> Self {
        self.ids = Some((0..self.records).map(id).collect());
        self
    }

    /// Writes a folder of `.npy` files and hands its path back.
    pub fn write(&self, folder: &Path) -> PathBuf {
        let shape = [self.models, self.records];
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("phi.npy"), floats(&shape, &self.phi)).unwrap();
        fs::write(folder.join("keep.npy"), flags(&shape, &self.keep)).unwrap();
        if let Some(ids) = &self.ids {
            fs::write(folder.join("ids.npy"), texts(ids)).unwrap();
        }
        folder.to_owned()
    }
}

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) as f64 / 2f64.powi(64)
    }

    /// Nearly normal, by sums alone, so that no two machines differ.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
