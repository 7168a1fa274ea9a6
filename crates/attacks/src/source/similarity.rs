//! How much an answer is like a reference.

use std::collections::{BTreeMap, BTreeSet};

use super::input::{count_masks, key_words};

/// Likeness of (answer, reference) pairs, usually from 0 to 1; larger is more alike.
pub trait Similarity: Send + Sync {
    /// For reports.
    fn name(&self) -> String;

    fn similarities(&self, pairs: &[(&str, &str)]) -> Result<Vec<f64>, String>;
}

/// The share of the reference's key-word places whose word the answer holds. A masked place is a
/// place whose word is not found. With a masked or altered input as the reference this is linear
/// in the mask: each kept word that the answer holds adds the same.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lexical;

impl Similarity for Lexical {
    fn name(&self) -> String {
        "lexical: the share of the reference's words that the answer holds".into()
    }

    fn similarities(&self, pairs: &[(&str, &str)]) -> Result<Vec<f64>, String> {
        let share = |(answer, reference): &(&str, &str)| held(answer, reference);
        Ok(pairs.iter().map(share).collect())
    }
}

fn held(answer: &str, reference: &str) -> f64 {
    let held: BTreeSet<String> = key_words(answer).collect();
    let wanted: Vec<String> = key_words(reference).collect();
    let found = wanted.iter().filter(|word| held.contains(*word)).count();
    match wanted.len() + count_masks(reference) {
        0 => 0.0,
        places => found as f64 / places as f64,
    }
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
    fn places_are_found_masked_or_missed() {
        let of = |answer, reference| Lexical.similarities(&[(answer, reference)]).unwrap()[0];
        assert_eq!(of("the Cat sat", "a cat, a dog ____ and ____"), 0.25);
        assert_eq!(of("", "cat"), 0.0);
        assert_eq!(of("cat", ""), 0.0);
        assert_eq!(of("cat dog", "cat cat dog"), 1.0);
        assert_eq!(of("c\u{430}t", "cat"), 0.0);
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
