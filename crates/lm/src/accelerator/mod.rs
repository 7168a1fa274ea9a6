//! The same decoder in plain tensor operations, for devices that are not the CPU.
//!
//! Texts are padded on the right; attention looks back only, so padding needs no mask.

mod head;
mod pass;
mod upload;

#[cfg(test)]
mod tests;

use candle_core::{DType, Device, Tensor};

use crate::config::Config;
use crate::decoder::Decoder;
use crate::error::Result;
use crate::scores::{Piece, Predictions, Wants};
use upload::{Block, Norm};

/// Padded tokens in one pass, unless a single piece has more.
const TOKENS: usize = 32 << 10;
/// Attention scores of one layer, likewise.
const SCORES: usize = 1 << 28;

pub(crate) struct TensorEngine {
    config: Config,
    device: Device,
    kind: DType,
    embedding: Tensor,
    positions: Option<Tensor>,
    blocks: Vec<Block>,
    last: Norm,
    /// [vocabulary, width].
    head: Tensor,
}

impl TensorEngine {
    pub(crate) fn new(decoder: &Decoder, device: &Device, kind: DType) -> Result<Self> {
        upload::engine(decoder, device, kind).map_err(Into::into)
    }

    pub(crate) fn score(&self, pieces: &[Piece], wants: Wants) -> Result<Vec<Predictions>> {
        let mut predictions = Vec::with_capacity(pieces.len());
        let mut rest = pieces;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(fitting(rest, self.config.heads));
            let hidden = self.hidden(now)?;
            predictions.extend(self.predictions(now, &hidden, wants)?);
            rest = later;
        }
        Ok(predictions)
    }
}

/// How many of the first pieces go into one pass.
fn fitting(pieces: &[Piece], heads: usize) -> usize {
    let mut longest = 0;
    let mut count = 0;
    for piece in pieces {
        longest = longest.max(piece.inputs().len());
        let tokens = longest * (count + 1);
        if count > 0 && (tokens > TOKENS || tokens * longest * heads > SCORES) {
            break;
        }
        count += 1;
    }
    count
}
