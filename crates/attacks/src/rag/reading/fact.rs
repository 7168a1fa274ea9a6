//! Whether an answer holds a fact.

use text::{folded, is_unspaced};

use crate::signals::probes::Reply;

/// One of these spellings is among the answer's words.
pub fn holds(reply: &Reply, spellings: &[String]) -> bool {
    let words = folded(&reply.answer);
    spellings.iter().any(|spelling| {
        // Where words have no blanks between them, what stands around a word moves its borders.
        if spelling.chars().any(is_unspaced) {
            return reply
                .answer
                .to_lowercase()
                .contains(&spelling.to_lowercase());
        }
        let spelling = folded(spelling);
        !spelling.is_empty() && words.windows(spelling.len()).any(|run| run == spelling)
    })
}
