//! Whether an answer holds a fact.

use text::folded;

use crate::signals::probes::Reply;

/// One of these spellings is among the answer's words.
pub fn holds(reply: &Reply, spellings: &[String]) -> bool {
    let words = folded(&reply.answer);
    spellings.iter().any(|spelling| {
        let spelling = folded(spelling);
        !spelling.is_empty() && words.windows(spelling.len()).any(|run| run == spelling)
    })
}
