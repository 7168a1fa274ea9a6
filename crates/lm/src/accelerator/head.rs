//! From hidden states to what is said about each predicted token, one block of logits at a time,
//! in f32 on the device.

use candle_core::{D, DType, Result, Tensor};

use super::TensorEngine;
use super::packed::Packed;
use crate::scores::{Piece, Predictions, Wants};

impl TensorEngine {
    pub(super) fn predictions(&self, pieces: &[Piece], wants: Wants) -> Result<Vec<Predictions>> {
        let (above, described) = match &self.fused {
            Some(fused) => fused.describe(self, &Packed::new(pieces))?,
            None => self.described(pieces, wants)?,
        };
        Ok(deal(pieces, &gathered(&above, &described, wants)))
    }

    /// For each token how many are likelier, and what `describe` says.
    fn described(&self, pieces: &[Piece], wants: Wants) -> Result<(Vec<u32>, Vec<f32>)> {
        let hidden = self.hidden(pieces)?;
        let (places, targets) = predicting(pieces);
        let rows = (self.limits.logits / self.config.vocabulary).max(1);
        let mut above = Vec::new();
        let mut described = Vec::new();
        for (places, targets) in places.chunks(rows).zip(targets.chunks(rows)) {
            let places = Tensor::from_slice(places, places.len(), &self.device)?;
            let targets = Tensor::from_slice(targets, (targets.len(), 1), &self.device)?;
            let logits = hidden.index_select(&places, 0)?.matmul(&self.head.t()?)?;
            let truth = logits.gather(&targets, 1)?;
            let larger = logits.broadcast_gt(&truth)?.to_dtype(DType::U32)?;
            above.push(larger.sum(D::Minus1)?);
            described.push(describe(&logits, &truth, wants)?);
        }
        // Copies to the host wait for the device, so they come last.
        let above: Vec<u32> = Tensor::cat(&above, 0)?.to_vec1()?;
        let described: Vec<f32> = Tensor::cat(&described, 0)?.flatten_all()?.to_vec1()?;
        Ok((above, described))
    }

    /// Logits of the token that follows a text.
    pub(super) fn following(&self, text: &[u32]) -> Result<Vec<f32>> {
        // A piece's last token predicts nothing, so one more is put behind the text.
        let tokens: Vec<u32> = text.iter().copied().chain([0]).collect();
        let piece = Piece {
            tokens: &tokens,
            skip: text.len() - 1,
        };
        if let Some(fused) = &self.fused {
            return fused.following(self, &Packed::new(&[piece]));
        }
        let hidden = self.hidden(&[piece])?;
        let last = hidden.narrow(0, text.len() - 1, 1)?;
        last.matmul(&self.head.t()?)?.flatten_all()?.to_vec1()
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

/// A row for each row of logits: the log-probability of the truth, then, if wanted, the moments and
/// the first choice's log-probability.
fn describe(logits: &Tensor, truth: &Tensor, wants: Wants) -> Result<Tensor> {
    let largest = logits.max_keepdim(D::Minus1)?;
    let below = logits.broadcast_sub(&largest)?;
    let weights = below.exp()?;
    let total = weights.sum_keepdim(D::Minus1)?;
    let log_total = total.log()?;
    let logprob = ((truth - &largest)? - &log_total)?;
    if !wants.moments {
        return Ok(logprob);
    }
    let centre = ((&weights * &below)?.sum_keepdim(D::Minus1)? / &total)?;
    let squares = below.broadcast_sub(&centre)?.sqr()?;
    let variance = ((weights * squares)?.sum_keepdim(D::Minus1)? / &total)?;
    let mean = (&centre - &log_total)?;
    Tensor::cat(&[logprob, mean, variance, log_total.neg()?], 1)
}

/// There may be more numbers in a row of `described` than are wanted.
fn gathered(above: &[u32], described: &[f32], wants: Wants) -> Predictions {
    let mut all = Predictions {
        rank: above.iter().map(|above| above + 1).collect(),
        ..Predictions::default()
    };
    for row in described.chunks((described.len() / above.len().max(1)).max(1)) {
        all.logprob.extend(row.first());
        if wants.moments {
            all.mean.extend(row.get(1));
            all.variance.extend(row.get(2));
            all.max_logprob.extend(row.get(3));
        }
    }
    all
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
                max_logprob: take(&all.max_logprob),
                windows: 0,
            }
        })
        .collect()
}
