//! From hidden states to what is said about each predicted token, one block of logits at a time.

use rayon::prelude::*;

use super::matmul::{Into, Matrix, product};
use super::soften::soften;
use super::statistics::{Row, describe};
use crate::decoder::Decoder;
use crate::scores::{Piece, Predictions, Wants};

/// Logits in memory at once, unless one block of the fewest rows needs more.
const LOGITS: usize = 8 << 20;
const ROWS: std::ops::RangeInclusive<usize> = 32..=256;

/// `hidden` holds the predicting positions of all pieces, one after the other.
pub(super) fn predictions(
    decoder: &Decoder,
    pieces: &[Piece],
    hidden: &[f32],
    wants: Wants,
) -> Vec<Predictions> {
    let head = decoder.head.as_ref().unwrap_or(&decoder.embedding);
    let (vocabulary, width) = (head.rows(), head.columns());
    let targets: Vec<u32> = pieces
        .iter()
        .flat_map(|piece| piece.targets())
        .copied()
        .collect();
    let block = (LOGITS / vocabulary).clamp(*ROWS.start(), *ROWS.end());
    let mut logits = vec![0.0; block.min(targets.len()) * vocabulary];
    let mut rows = Vec::with_capacity(targets.len());
    for (targets, hidden) in targets.chunks(block).zip(hidden.chunks(block * width)) {
        let logits = &mut logits[..targets.len() * vocabulary];
        product(
            logits,
            vocabulary,
            Matrix::new(hidden, targets.len(), width),
            Matrix::new(&head.data, vocabulary, width).transposed(),
            Into {
                add: false,
                scale: 1.0,
                parallel: true,
            },
        );
        let described = targets
            .par_iter()
            .zip(logits.par_chunks_exact_mut(vocabulary))
            .map(|(&target, logits)| {
                if let Some(cap) = decoder.config.logit_cap {
                    soften(logits, cap);
                }
                describe(logits, target as usize, wants)
            });
        rows.par_extend(described);
    }
    deal(pieces, rows, wants)
}

/// Rows back to the pieces they came from.
fn deal(pieces: &[Piece], rows: Vec<Row>, wants: Wants) -> Vec<Predictions> {
    let mut rows = rows.into_iter();
    pieces
        .iter()
        .map(|piece| {
            let mut predictions = Predictions::default();
            for row in rows.by_ref().take(piece.targets().len()) {
                predictions.logprob.push(row.logprob);
                predictions.rank.push(row.rank);
                if wants.moments {
                    predictions.mean.push(row.mean);
                    predictions.variance.push(row.variance);
                    predictions.max_logprob.push(row.max_logprob);
                }
            }
            predictions
        })
        .collect()
}
