//! A batch cut into runs of texts, each small enough for its activations to stay in cache.

use std::ops::Range;

/// A chunk is closed once it holds as many tokens.
const TOKENS: usize = 256;

/// Texts by their lengths.
pub(crate) fn cut(lengths: impl ExactSizeIterator<Item = usize>) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let count = lengths.len();
    let (mut first, mut tokens) = (0, 0);
    for (index, length) in lengths.enumerate() {
        tokens += length;
        if tokens >= TOKENS {
            chunks.push(first..index + 1);
            (first, tokens) = (index + 1, 0);
        }
    }
    if first < count {
        chunks.push(first..count);
    }
    chunks
}
