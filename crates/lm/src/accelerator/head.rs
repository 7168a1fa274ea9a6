//! From hidden states to what is said about each predicted token, one block of logits at a time,
//! in f32 on the device.

use candle_core::{D, DType, Result, Tensor};

use super::TensorEngine;
use crate::scores::{Piece, Predictions, Wants};

/// Rows of logits at once.
const ROWS: usize = 1024;

impl TensorEngine {
    /// `hidden` is [texts · length, width].
    pub(super) fn predictions(
        &self,
        pieces: &[Piece],
        hidden: &Tensor,
        wants: Wants,
    ) -> Result<Vec<Predictions>> {
        let (places, targets) = predicting(pieces);
        let mut all = Predictions::default();
        for (places, targets) in places.chunks(ROWS).zip(targets.chunks(ROWS)) {
            let places = Tensor::from_slice(places, places.len(), &self.device)?;
            let targets = Tensor::from_slice(targets, (targets.len(), 1), &self.device)?;
            let logits = hidden
                .index_select(&places, 0)?
                .matmul(&self.head.t()?)?
                .to_dtype(DType::F32)?;
            describe(&logits, &targets, wants, &mut all)?;
        }
        Ok(deal(pieces, &all))
    }
}

/// Rows of the padded batch that predict something, and the tokens they should predict.
fn predicting(pieces: &[Piece]) -> (Vec<u32>, Vec<u32>) {
    let length = pieces.iter().map(|piece| piece.inputs().len()).max();
    let length = length.unwrap_or(0);
    let mut places = Vec::new();
    let mut targets = Vec::new();
    for (text, piece) in pieces.iter().enumerate() {
        let begin = text * length;
        places.extend((begin + piece.skip..begin + piece.inputs().len()).map(|row| row as u32));
        targets.extend_from_slice(piece.targets());
    }
    (places, targets)
}

fn describe(logits: &Tensor, targets: &Tensor, wants: Wants, all: &mut Predictions) -> Result<()> {
    let truth = logits.gather(targets, 1)?;
    let above = logits.broadcast_gt(&truth)?.to_dtype(DType::U32)?;
    let above: Vec<u32> = above.sum(D::Minus1)?.to_vec1()?;
    all.rank.extend(above.iter().map(|above| above + 1));
    let largest = logits.max_keepdim(D::Minus1)?;
    let below = logits.broadcast_sub(&largest)?;
    let weights = below.exp()?;
    let total = weights.sum_keepdim(D::Minus1)?;
    let log_total = total.log()?;
    let logprob = ((truth - &largest)? - &log_total)?;
    all.logprob.extend(column(&logprob)?);
    if wants.moments {
        let weights = weights.broadcast_div(&total)?;
        let centre = (&weights * &below)?.sum_keepdim(D::Minus1)?;
        let squares = below.broadcast_sub(&centre)?.sqr()?;
        all.mean.extend(column(&(&centre - &log_total)?)?);
        let variance = (weights * squares)?.sum_keepdim(D::Minus1)?;
        all.variance.extend(column(&variance)?);
    }
    Ok(())
}

fn column(values: &Tensor) -> Result<Vec<f32>> {
    values.flatten_all()?.to_vec1()
}

/// Rows back to the pieces they came from.
fn deal(pieces: &[Piece], all: &Predictions) -> Vec<Predictions> {
    let mut begin = 0;
    pieces
        .iter()
        .map(|piece| {
            let rows = begin..begin + piece.targets().len();
            begin = rows.end;
            let take = |values: &[f32]| values.get(rows.clone()).unwrap_or_default().to_vec();
            Predictions {
                logprob: take(&all.logprob),
                rank: all.rank.get(rows.clone()).unwrap_or_default().to_vec(),
                mean: take(&all.mean),
                variance: take(&all.variance),
                windows: 0,
            }
        })
        .collect()
}
