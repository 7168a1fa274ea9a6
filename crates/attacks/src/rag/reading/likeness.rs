//! How alike two answers are.

use std::collections::HashMap;

use crate::rag::words::folded;

/// The share of words that both have, of all that either has: 1 for the same words, 0 for none in
/// common.
pub fn likeness(one: &str, other: &str) -> f64 {
    if one.trim() == other.trim() {
        return 1.0;
    }
    let mut counts: HashMap<String, [usize; 2]> = HashMap::new();
    for (side, text) in [one, other].into_iter().enumerate() {
        for word in folded(text) {
            counts.entry(word).or_default()[side] += 1;
        }
    }
    let shared: usize = counts.values().map(|[a, b]| a.min(b)).sum();
    let all: usize = counts.values().map(|[a, b]| a.max(b)).sum();
    shared as f64 / all.max(1) as f64
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
}
