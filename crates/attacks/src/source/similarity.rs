//! How much an answer is like a reference.

use std::collections::BTreeSet;

use text::key_words;

use super::input::count_masks;

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
}
