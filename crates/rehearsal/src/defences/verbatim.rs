//! `refuse-verbatim`: runs of words that two texts share.

use std::collections::HashSet;

/// Every run of so many words, in lower case and without punctuation.
pub fn runs(text: &str, length: usize) -> HashSet<Vec<String>> {
    text::plain_parts(text)
        .windows(length.max(1))
        .map(<[String]>::to_vec)
        .collect()
}

/// Whether any run of one text is in the other.
pub fn shares_run(runs: &HashSet<Vec<String>>, other: &str, length: usize) -> bool {
    text::plain_parts(other)
        .windows(length.max(1))
        .any(|window| runs.contains(window))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_shared_from_their_length_on() {
        let source = runs("The quick, brown fox jumps over the lazy dog.", 4);
        assert!(shares_run(&source, "Say: QUICK brown fox jumps!", 4));
        assert!(!shares_run(
            &source,
            "quick brown fox leaps over the dog",
            4
        ));
        assert!(!shares_run(&source, "", 4));
    }
}
