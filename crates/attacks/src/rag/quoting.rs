//! How much of a document its questions give to whoever is asked.

use text::folded;

use super::shared_runs::SharedRuns;

/// Characters of the longest run of words that a question takes over from a document, roughly: marks
/// between them count as one.
pub fn quoted(text: &str, query: &str) -> usize {
    let (text, query) = (folded(text), folded(query));
    let length = |word: &str| word.chars().count() as u32 + 1;
    let runs = SharedRuns::new(text.iter().map(String::as_str));
    let longest = runs.longest(query.iter().map(String::as_str), length);
    longest.saturating_sub(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_stretch_counts_whatever_stands_around_it() {
        let text = "The plant of Madagascar makes 420 holes in its leaves.";
        let query = "Continue: \"plant of Madagascar makes\" and leaves";
        assert_eq!(quoted(text, query), "plant of madagascar makes".len());
        assert_eq!(quoted(text, "What else?"), 0);
        assert_eq!(quoted("", query), 0);
    }
}
