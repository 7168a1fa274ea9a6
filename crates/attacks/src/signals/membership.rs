//! Which records each model trained on, one bit per record.

use std::sync::Arc;

use rayon::prelude::*;

/// Words that are counted together: their digits stay in the nearest memory.
const WORDS_AT_ONCE: usize = 64;

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

    /// From one byte per record, 0 or 1; the place of the first that is neither, where there is one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, usize> {
        // All at once first: a search that may stop anywhere is slow.
        if bytes.iter().fold(0, |all, byte| all | byte) > 1 {
            return Err(bytes.iter().position(|byte| *byte > 1).unwrap_or(0));
        }
        let (eights, rest) = bytes.as_chunks::<8>();
        let packed = eights.iter().map(|eight| packed(*eight));
        let last = rest.iter().rev().fold(0, |bits, byte| bits << 1 | byte);
        let mut packed: Vec<u8> = packed.chain(std::iter::once(last)).collect();
        packed.resize(bytes.len().div_ceil(64) * 8, 0);
        let words = packed.as_chunks().0.iter();
        Ok(Self {
            words: words.map(|word| u64::from_le_bytes(*word)).collect(),
            records: bytes.len(),
        })
    }

    /// In how many of these rows each record is. Counted in binary, 64 records a word: a word for every digit,
    /// and adding a row carries from digit to digit.
    pub fn counts(rows: &[MemberRow], records: usize) -> Vec<u32> {
        let mut counts = vec![0; records];
        let parts = counts.par_chunks_mut(64 * WORDS_AT_ONCE).enumerate();
        parts.for_each(|(part, counts)| {
            let first = part * WORDS_AT_ONCE;
            let last = first + counts.len().div_ceil(64);
            let mut digits: Vec<[u64; WORDS_AT_ONCE]> = Vec::new();
            for row in rows {
                let mut carry = [0; WORDS_AT_ONCE];
                let words = &row.words[first..last];
                carry[..words.len()].copy_from_slice(words);
                carried(&mut digits, carry);
            }
            for (record, count) in counts.iter_mut().enumerate() {
                let bit = |digit: &[u64; WORDS_AT_ONCE]| digit[record / 64] >> (record % 64) & 1;
                let places = digits.iter().enumerate();
                *count = places.fold(0, |sum, (place, digit)| sum | (bit(digit) as u32) << place);
            }
        });
        counts
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

/// Eight bytes of 0 or 1 as eight bits: the factor brings each byte's bit to its place in the highest byte.
fn packed(bytes: [u8; 8]) -> u8 {
    (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// Adds a one to every record whose bit is set.
fn carried(digits: &mut Vec<[u64; WORDS_AT_ONCE]>, mut carry: [u64; WORDS_AT_ONCE]) {
    for digit in digits.iter_mut() {
        let mut left = 0;
        for (digit, carry) in digit.iter_mut().zip(&mut carry) {
            (*digit, *carry) = (*digit ^ *carry, *digit & *carry);
            left |= *carry;
        }
        if left == 0 {
            return;
        }
    }
    digits.push(carry);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_bytes_are_those_of_their_bits() {
        for records in [0, 1, 7, 8, 63, 64, 65, 200] {
            let member = |record: usize| (record * record + record / 3) % 5 < 2;
            let bytes: Vec<u8> = (0..records)
                .map(|record| u8::from(member(record)))
                .collect();
            let row = MemberRow::from_fn(records, member);
            assert_eq!(MemberRow::from_bytes(&bytes), Ok(row), "{records}");
        }
        let mut bytes = [1; 100];
        (bytes[70], bytes[90]) = (2, 255);
        assert_eq!(MemberRow::from_bytes(&bytes), Err(70));
    }

    #[test]
    fn counts_are_those_of_the_records_one_by_one() {
        for (records, rows) in [(1, 0), (5, 1), (64, 3), (9001, 37), (130, 300)] {
            let member = |row: usize, record: usize| (record * 31 + row * row * 7) % 11 < row % 11;
            let rows: Vec<MemberRow> = (0..rows)
                .map(|row| MemberRow::from_fn(records, |record| member(row, record)))
                .collect();
            let slow = |record: usize| rows.iter().filter(|row| row.get(record)).count() as u32;
            let slow: Vec<u32> = (0..records).map(slow).collect();
            assert_eq!(MemberRow::counts(&rows, records), slow);
        }
    }

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
