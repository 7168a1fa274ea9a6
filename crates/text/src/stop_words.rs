//! Words that say nothing about a text.

use crate::listed::Listed;

/// Whether a folded word is one of them.
pub fn is_stop_word(folded: &str) -> bool {
    is_function_word(folded) || FURTHER.contains(folded)
}

/// Whether it is one of those that hold sentences together: a retriever leaves these out and keeps
/// the rest, so that "one", "two" and "many" can be asked for.
pub fn is_function_word(folded: &str) -> bool {
    FUNCTION_WORDS.contains(folded)
}

#[rustfmt::skip]
static FUNCTION_WORDS: Listed = Listed::new(&[
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both",
    "but", "by", "can", "could", "did", "do", "does", "doing", "down", "during", "each", "few",
    "for", "from", "further", "had", "has", "have", "having", "he", "her", "here", "hers", "him",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "might", "more",
    "most", "must", "my", "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other",
    "our", "out", "over", "own", "same", "shall", "she", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "through",
    "to", "too", "under", "until", "up", "very", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "whom", "why", "will", "with", "would", "you", "your",
]);

/// Beyond them: what attacks and measures leave out too.
#[rustfmt::skip]
static FURTHER: Listed = Listed::new(&[
    "although", "always", "among", "another", "cannot", "either", "else", "ever", "every",
    "herself", "himself", "however", "itself", "less", "let", "many", "much", "myself", "neither",
    "now", "one", "ought", "ours", "ourselves", "per", "quite", "rather", "since", "theirs",
    "themselves", "therefore", "though", "thus", "two", "upon", "us", "well", "whether", "whose",
    "within", "without", "yet", "yours", "yourself", "yourselves",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stop_lists_are_in_order() {
        assert!(FUNCTION_WORDS.is_sorted() && FURTHER.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("mitochondria"));
        assert!(is_function_word("the") && !is_function_word("insulin"));
        assert!(is_stop_word("two") && !is_function_word("two"));
    }
}
