//! The inverted index: which chunks a word is in, and how often.

use std::collections::{BTreeMap, HashMap};

/// A word's stay in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub chunk: u32,
    pub count: u32,
}

/// Every word of the store, with its chunks in order.
pub struct Postings {
    context: HashMap<String, usize>,
    /// Where each word's entries start; one more than there are words.
    starts: Vec<usize>,
    entries: Vec<Entry>,
    /// Words in each chunk.
    pub(super) lengths: Vec<u32>,
    pub(super) mean_length: f32,
    /// Length of each chunk's TF-IDF vector.
    pub(super) norms: Vec<f32>,
}

impl Postings {
    /// From the folded words of every chunk.
    pub fn new(chunks: impl IntoIterator<Item = Vec<String>>) -> Self {
        let mut context = HashMap::new();
        let mut lists: Vec<Vec<Entry>> = Vec::new();
        let mut lengths = Vec::new();
        for (chunk, words) in chunks.into_iter().enumerate() {
            lengths.push(words.len() as u32);
            for word in words {
                let term = context.get(word.as_str()).copied().unwrap_or_else(|| {
                    lists.push(Vec::new());
                    context.insert(word, lists.len() - 1);
                    lists.len() - 1
                });
                let list = &mut lists[term];
                match list.last_mut() {
                    Some(entry) if entry.chunk as usize == chunk => entry.count += 1,
                    _ => list.push(Entry {
                        chunk: chunk as u32,
                        count: 1,
                    }),
                }
            }
        }
        let mut starts = vec![0];
        starts.extend(lists.iter().scan(0, |sum, list| {
            *sum += list.len();
            Some(*sum)
        }));
        let mut postings = Self {
            context,
            starts,
            entries: lists.concat(),
            mean_length: mean(&lengths),
            lengths,
            norms: Vec::new(),
        };
        postings.norms = postings.vector_lengths();
        postings
    }

    fn vector_lengths(&self) -> Vec<f32> {
        let mut squares = vec![0_f64; self.lengths.len()];
        for border in self.starts.windows(2) {
            let list = &self.entries[border[0]..border[1]];
            let idf = self.idf_of(list.len());
            for entry in list {
                squares[entry.chunk as usize] += (weight(entry.count) * idf).powi(2);
            }
        }
        squares
            .into_iter()
            .map(|square| square.sqrt() as f32)
            .collect()
    }

    pub fn chunks(&self) -> usize {
        self.lengths.len()
    }

    /// How much a folded word tells; most for a word that the store does not have.
    pub fn idf(&self, word: &str) -> f64 {
        self.idf_of(self.entries(word).len())
    }

    /// The form that is never negative: ln(1 + (n − df + ½) / (df + ½)).
    fn idf_of(&self, chunks_with: usize) -> f64 {
        let (all, with) = (self.chunks() as f64, chunks_with as f64);
        ((all - with + 0.5) / (with + 0.5)).ln_1p()
    }

    /// Where a folded word is.
    pub(super) fn entries(&self, word: &str) -> &[Entry] {
        match self.context.get(word) {
            Some(&term) => &self.entries[self.starts[term]..self.starts[term + 1]],
            None => &[],
        }
    }
}

fn mean(lengths: &[u32]) -> f32 {
    let words: u64 = lengths.iter().map(|&length| u64::from(length)).sum();
    words as f32 / lengths.len().max(1) as f32
}

/// How much a word's repetition in one text counts in TF-IDF vectors.
pub(super) fn weight(count: u32) -> f64 {
    1.0 + f64::from(count).ln()
}

/// A question's words with their counts, in an order of their own, so that sums come out the same.
pub(super) fn counted(words: &[String]) -> BTreeMap<&str, u32> {
    let mut counts = BTreeMap::new();
    for word in words {
        *counts.entry(word.as_str()).or_insert(0) += 1;
    }
    counts
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A made-up store whose words repeat within and across chunks.
    pub fn store(chunks: usize) -> Vec<Vec<String>> {
        let word = |chunk: usize, place: usize| {
            let number = (chunk * 31 + place * place * 7) % 23;
            format!("w{}", number * number % 41)
        };
        let words = |chunk: usize| (0..5 + chunk % 9).map(|place| word(chunk, place)).collect();
        (0..chunks).map(words).collect()
    }

    #[test]
    fn entries_count_every_word_of_every_chunk() {
        let store = store(50);
        let postings = Postings::new(store.clone());
        for word in store.concat() {
            let slow: Vec<Entry> = store
                .iter()
                .enumerate()
                .map(|(chunk, words)| Entry {
                    chunk: chunk as u32,
                    count: words.iter().filter(|other| **other == word).count() as u32,
                })
                .filter(|entry| entry.count > 0)
                .collect();
            assert_eq!(postings.entries(&word), slow);
        }
        assert!(postings.entries("nowhere").is_empty());
    }
}
