//! A batch cut into runs of texts, each small enough for its activations to stay in cache.

use std::ops::Range;

use crate::scores::Piece;

/// A chunk is closed once it holds as many tokens.
const TOKENS: usize = 256;

pub(super) fn cut(pieces: &[Piece]) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let (mut first, mut tokens) = (0, 0);
    for (index, piece) in pieces.iter().enumerate() {
        tokens += piece.inputs().len();
        if tokens >= TOKENS {
            chunks.push(first..index + 1);
            (first, tokens) = (index + 1, 0);
        }
    }
    if first < pieces.len() {
        chunks.push(first..pieces.len());
    }
    chunks
}
