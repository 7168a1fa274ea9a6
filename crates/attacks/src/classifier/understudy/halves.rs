//! Records by halves and quarters, so that what some teach can be tried on others.

use stats::streams::Rng;

use super::super::view::View;

/// Which half of the records each belongs to, and which half of that half.
pub struct Halves {
    hashes: Vec<u64>,
}

impl Halves {
    /// By the seed and by what may be looked at, so that neither the order of the records nor
    /// their IN shadows matter, and equal records stay together.
    pub fn of_records(view: &View) -> Self {
        let key = view.seed.stream("understudy halves").next_u64();
        let hashes = view.statistics.records.iter().map(|record| {
            let outside = record.outside;
            let parts = [record.target, outside.n, outside.mean, outside.scatter];
            parts
                .iter()
                .fold(key, |hash, part| mix(hash ^ part.to_bits()))
        });
        Self {
            hashes: hashes.collect(),
        }
    }

    pub fn half(&self, record: usize) -> usize {
        (self.hashes[record] & 1) as usize
    }

    /// The half of its half.
    pub fn within(&self, record: usize) -> usize {
        (self.hashes[record] >> 1 & 1) as usize
    }

    pub fn records(&self, half: usize) -> usize {
        let all = 0..self.hashes.len();
        all.filter(|&record| self.half(record) == half).count()
    }
}

/// The finisher of SplitMix64 (Steele, Lea and Flood 2014): every bit moves every other.
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
