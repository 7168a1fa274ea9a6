//! The names of records. There may be ten million of them, and they are looked at twice: a `String`
//! each would take three times the memory of the text.

use std::ops::{Index, Range};

/// Rows and bytes of a block at most: blocks never move, so that growing copies nothing.
const MOST_ROWS: usize = 1 << 14;
const MOST_BYTES: usize = 1 << 20;

/// Texts by their place.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    blocks: Vec<Block>,
    len: usize,
}

/// The texts of neighbouring records, one after another.
#[derive(Clone, Debug, Default)]
struct Block {
    first: usize,
    text: String,
    ends: Vec<u32>,
}

impl Block {
    fn get(&self, place: usize) -> &str {
        let start = match place {
            0 => 0,
            place => self.ends[place - 1] as usize,
        };
        &self.text[start..self.ends[place] as usize]
    }

    fn is_full(&self) -> bool {
        self.ends.len() == MOST_ROWS || self.text.len() > MOST_BYTES
    }
}

impl Ids {
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn push(&mut self, id: &str) {
        if self.blocks.last().is_none_or(Block::is_full) {
            self.finish_block();
            self.blocks.push(Block {
                first: self.len,
                ..Block::default()
            });
        }
        if let Some(block) = self.blocks.last_mut() {
            block.text.push_str(id);
            // Texts of four gigabytes are no names.
            block.ends.push(block.text.len() as u32);
            self.len += 1;
        }
    }

    /// What a full block reserved for more goes back.
    fn finish_block(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.text.shrink_to_fit();
            block.ends.shrink_to_fit();
        }
    }

    pub fn get(&self, row: usize) -> Option<&str> {
        let after = self.blocks.partition_point(|block| block.first <= row);
        let block = self.blocks.get(after.checked_sub(1)?)?;
        let place = row - block.first;
        (place < block.ends.len()).then(|| block.get(place))
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> + '_ {
        let blocks = self.blocks.iter();
        blocks.flat_map(|block| (0..block.ends.len()).map(move |place| block.get(place)))
    }

    pub fn range(&self, rows: Range<usize>) -> impl Iterator<Item = &str> + '_ {
        rows.map(|row| &self[row])
    }

    /// The rows whose id an earlier one has. Digests are compared first, and the texts themselves
    /// where these are equal.
    pub fn repeated(&self) -> Vec<usize> {
        use std::hash::BuildHasher;
        let hasher = std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default();
        let mut digests: Vec<u64> = self.iter().map(|id| hasher.hash_one(id)).collect();
        digests.sort_unstable();
        let twice = |pair: &[u64]| (pair[0] == pair[1]).then_some(pair[0]);
        let suspected: std::collections::HashSet<u64> =
            digests.windows(2).filter_map(twice).collect();
        drop(digests);
        if suspected.is_empty() {
            return Vec::new();
        }
        let mut seen = std::collections::HashSet::new();
        let rows = self.iter().enumerate();
        let rows = rows.filter(|(_, id)| suspected.contains(&hasher.hash_one(id)));
        rows.filter(|(_, id)| !seen.insert(*id))
            .map(|(row, _)| row)
            .collect()
    }
}

impl Index<usize> for Ids {
    type Output = str;

    fn index(&self, row: usize) -> &str {
        match self.get(row) {
            Some(id) => id,
            None => panic!("there is no record {row} among {}", self.len),
        }
    }
}

impl PartialEq for Ids {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<T: AsRef<str>> Extend<T> for Ids {
    fn extend<I: IntoIterator<Item = T>>(&mut self, ids: I) {
        for id in ids {
            self.push(id.as_ref());
        }
    }
}

impl<T: AsRef<str>> FromIterator<T> for Ids {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        let mut all = Self::default();
        all.extend(ids);
        all
    }
}

impl From<Vec<String>> for Ids {
    fn from(ids: Vec<String>) -> Self {
        ids.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_as_they_went_in() {
        let long = "é".repeat(MOST_BYTES);
        let mut texts: Vec<String> = (0..3 * MOST_ROWS).map(|row| format!("r{row}")).collect();
        texts[5] = String::new();
        texts[77] = long.clone();
        texts[78] = long;
        let ids: Ids = texts.iter().collect();
        assert_eq!(ids.len(), texts.len());
        assert!(ids.iter().eq(texts.iter().map(String::as_str)));
        assert!((0..texts.len()).all(|row| ids[row] == texts[row]));
        assert_eq!((ids.get(texts.len()), ids.repeated()), (None, vec![78]));
        assert_eq!(ids, Ids::from(texts));
    }

    /// The slow twin: a set of all texts.
    #[test]
    fn repeated_ids_are_those_that_a_set_finds() {
        let texts: Vec<String> = (0..2000).map(|row| (row * row % 997).to_string()).collect();
        let mut seen = std::collections::HashSet::new();
        let slow: Vec<usize> = (0..2000).filter(|row| !seen.insert(&texts[*row])).collect();
        assert_eq!(Ids::from(texts.clone()).repeated(), slow);
        assert!(Ids::default().repeated().is_empty());
    }
}
