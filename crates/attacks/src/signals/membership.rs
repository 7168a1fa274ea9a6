//! Which records each model trained on, one bit per record.

use std::sync::Arc;

/// The membership of every record in one model's training set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRow {
    words: Arc<[u64]>,
    records: usize,
}

impl MemberRow {
    pub fn from_fn(records: usize, is_member: impl Fn(usize) -> bool) -> Self {
        let words = (0..records.div_ceil(64))
            .map(|word| {
                let first = word * 64;
                let last = records.min(first + 64);
                (first..last).fold(0u64, |bits, record| {
                    bits | (u64::from(is_member(record)) << (record - first))
                })
            })
            .collect();
        Self { words, records }
    }

    pub fn len(&self) -> usize {
        self.records
    }

    pub fn is_empty(&self) -> bool {
        self.records == 0
    }

    pub fn get(&self, record: usize) -> bool {
        debug_assert!(record < self.records);
        self.words[record / 64] >> (record % 64) & 1 == 1
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Writes 1.0 for members and 0.0 for others, for records starting at a multiple of 64.
    pub(crate) fn weights(&self, first_record: usize, out: &mut [f64]) {
        debug_assert_eq!(first_record % 64, 0);
        let words = &self.words[first_record / 64..];
        for (slots, word) in out.chunks_mut(64).zip(words) {
            for (bit, slot) in slots.iter_mut().enumerate() {
                *slot = f64::from((word >> bit) as u32 & 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_come_back_as_they_went_in() {
        let member = |record: usize| record % 3 == 1;
        let row = MemberRow::from_fn(200, member);
        assert_eq!(row.count(), (0..200).filter(|&r| member(r)).count());
        assert!((0..200).all(|r| row.get(r) == member(r)));
        let mut weights = vec![9.0; 72];
        row.weights(128, &mut weights);
        for (i, w) in weights.iter().enumerate() {
            assert_eq!(*w == 1.0, member(128 + i));
        }
    }
}
