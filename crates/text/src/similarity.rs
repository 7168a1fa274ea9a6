//! How alike two texts are, by their words.

use std::collections::BTreeMap;

use crate::maps::HashMap;
use crate::words::{folded, key_words};

/// The share of words that both have, of all that either has: 1 for the same words, 0 for none in
/// common.
pub fn likeness(one: &str, other: &str) -> f64 {
    if one.trim() == other.trim() {
        return 1.0;
    }
    let mut counts: HashMap<String, [usize; 2]> = HashMap::default();
    for (side, text) in [one, other].into_iter().enumerate() {
        for word in folded(text) {
            counts.entry(word).or_default()[side] += 1;
        }
    }
    let shared: usize = counts.values().map(|[a, b]| a.min(b)).sum();
    let all: usize = counts.values().map(|[a, b]| a.max(b)).sum();
    shared as f64 / all.max(1) as f64
}

/// The cosine between the key-word counts of two texts; 0 where one has none. Stands in for the
/// cosine of embeddings where no embedding model is given.
pub fn cosine_of_counts(a: &str, b: &str) -> f64 {
    let (a, b) = (counts(a), counts(b));
    let product: f64 = a
        .iter()
        .map(|(word, count)| count * b.get(word).unwrap_or(&0.0))
        .sum();
    let norm = |counts: &BTreeMap<String, f64>| {
        counts
            .values()
            .map(|count| count * count)
            .sum::<f64>()
            .sqrt()
    };
    match product > 0.0 {
        true => product / (norm(&a) * norm(&b)),
        false => 0.0,
    }
}

fn counts(text: &str) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for word in key_words(text) {
        *counts.entry(word).or_insert(0.0) += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_words_and_not_blanks() {
        assert_eq!(likeness("The same words.", " The same words.\n"), 1.0);
        assert_eq!(likeness("", ""), 1.0);
        assert_eq!(likeness("I don't know.", ""), 0.0);
        assert_eq!(likeness("one two three", "one two four"), 0.5);
    }

    #[test]
    fn the_cosine_of_counts_is_worked_by_hand() {
        // (2, 1) and (1, 1): 3 / √(5·2).
        let found = cosine_of_counts("cat cat and dog", "the dog of cat");
        assert!((found - 3.0 / 10_f64.sqrt()).abs() < 1e-12, "{found}");
        assert_eq!(cosine_of_counts("cat", "dog"), 0.0);
        assert_eq!(cosine_of_counts("", "dog"), 0.0);
    }
}
