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

    /// Whether every record is in exactly one of the two.
    pub fn is_opposite(&self, other: &Self) -> bool {
        // Most pairs are told apart by their first records.
        let first = self.words.iter().zip(other.words.iter()).next();
        let first =
            first.is_none_or(|(a, b)| (a ^ b).count_ones() as usize == self.records.min(64));
        self.records == other.records && first && self.differing(other) == self.records
    }

    /// On how many records two models differ.
    pub(crate) fn differing(&self, other: &Self) -> usize {
        let words = self.words.iter().zip(other.words.iter());
        words.map(|(a, b)| (a ^ b).count_ones() as usize).sum()
    }

    /// 64 records a word, from a multiple of 64 on; records beyond the last are 0.
    pub(crate) fn words_from(&self, first_record: usize) -> &[u64] {
        debug_assert_eq!(first_record % 64, 0);
        &self.words[first_record / 64..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_share_nothing_and_leave_nothing_out() {
        let row = |first: usize| MemberRow::from_fn(130, move |record| record % 2 == first);
        assert!(row(0).is_opposite(&row(1)));
        assert!(!row(0).is_opposite(&row(0)));
        let short = MemberRow::from_fn(130, |record| record % 2 == 1 && record != 129);
        assert!(!row(0).is_opposite(&short));
    }

    #[test]
    fn bits_come_back_as_they_went_in() {
        let member = |record: usize| record % 3 == 1;
        let row = MemberRow::from_fn(200, member);
        assert_eq!(row.count(), (0..200).filter(|&r| member(r)).count());
        assert!((0..200).all(|r| row.get(r) == member(r)));
        for (index, word) in row.words_from(64).iter().enumerate() {
            for bit in 0..64 {
                let record = 64 + index * 64 + bit;
                assert_eq!(word >> bit & 1 == 1, record < 200 && member(record));
            }
        }
    }
}
