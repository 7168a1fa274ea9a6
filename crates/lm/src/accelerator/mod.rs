//! The same decoder for devices that are not the CPU: in kernels of our own (`fused`) where they
//! cover the model, in 16 bits on NVIDIA devices, and else in plain tensor operations (`pass`, `head`).
//!
//! For tensor operations texts are padded on the right; attention looks back only, so padding needs
//! no mask.

mod complaint;
#[cfg(feature = "cuda")]
mod fused;
#[cfg(not(feature = "cuda"))]
#[path = "no_fused.rs"]
mod fused;
mod growing;
mod head;
mod packed;
mod pass;
mod target;
mod upload;

#[cfg(test)]
mod tests;

pub(crate) use growing::{Following, Growing};
pub(crate) use target::Target;

use std::sync::{Mutex, MutexGuard, PoisonError};

use candle_core::{DType, Device, Tensor, cuda};

use crate::config::Config;
use crate::decoder::Decoder;
use crate::scores::{Piece, Predictions, Wants};
use crate::{Error, ErrorKind, Result};
use fused::Fused;
use upload::{Block, Norm};

const WEIGHTS_DO_NOT_FIT: &str =
    "choose precision bf16, a device with more free memory, or the CPU";
const BATCH_DOES_NOT_FIT: &str = "set a smaller tokens_per_batch, then a smaller context or \
                                  precision bf16, or choose a device with more free memory";

/// Threads would share the workspace of a device's matrix products, and candle has one setting of
/// their precision for all.
static ALONE: Mutex<()> = Mutex::new(());

/// How much of each is on the device at once.
struct Limits {
    /// Padded tokens in one pass, unless a single piece has more.
    tokens: usize,
    /// Attention scores of one layer.
    scores: usize,
    /// Rows of logits times the vocabulary.
    logits: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tokens: 32 << 10,
            scores: 1 << 26,
            logits: 1 << 26,
        }
    }
}

pub(crate) struct TensorEngine {
    config: Config,
    device: Device,
    kind: DType,
    embedding: Tensor,
    positions: Option<Tensor>,
    blocks: Vec<Block>,
    last: Norm,
    /// [vocabulary, width]. Logits are in f32, as those of a good model lie closer than 16 bits can
    /// tell, and so is this where tensor operations multiply: their products have one type.
    head: Tensor,
    fused: Option<Fused>,
    limits: Limits,
}

impl TensorEngine {
    pub(crate) fn on(decoder: &Decoder, target: &Target) -> Result<Self> {
        Self::new(decoder, &target.device, target.kind)
    }

    fn new(decoder: &Decoder, device: &Device, kind: DType) -> Result<Self> {
        let engine = upload::engine(decoder, device, kind);
        // Another thread's work does not wait for this thread's copies.
        let engine = engine.and_then(|engine| device.synchronize().map(|()| engine));
        engine.map_err(|error| complaint::failed(&error, WEIGHTS_DO_NOT_FIT))
    }

    /// Logits of the token that follows. The whole text is read for it, as no keys and values are
    /// kept on the device.
    pub(crate) fn next(&self, text: &[u32]) -> Result<Vec<f32>> {
        let _alone = self.alone();
        let logits = self.following(text);
        logits.map_err(|error| complaint::failed(&error, BATCH_DOES_NOT_FIT))
    }

    fn alone(&self) -> MutexGuard<'static, ()> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        // TF32 would cut weights in f32, but keeps all of 16 bits and is far faster.
        cuda::set_gemm_reduced_precision_f32(self.kind != DType::F32);
        alone
    }

    pub(crate) fn score(&self, pieces: &[Piece], wants: Wants) -> Result<Vec<Predictions>> {
        let _alone = self.alone();
        let scored = self.score_alone(pieces, wants);
        let predictions = scored.map_err(|error| complaint::failed(&error, BATCH_DOES_NOT_FIT))?;
        let sound = |scores: &Predictions| scores.logprob.iter().all(|x| x.is_finite());
        if self.kind != DType::F32 && !predictions.iter().all(sound) {
            let message = format!("the computation left the range of {}", self.kind.as_str());
            return Err(Error::new(ErrorKind::Device, message).hint("choose precision bf16 or f32"));
        }
        Ok(predictions)
    }

    fn score_alone(&self, pieces: &[Piece], wants: Wants) -> candle_core::Result<Vec<Predictions>> {
        let mut predictions = Vec::with_capacity(pieces.len());
        let mut rest = pieces;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(fitting(rest, self.limits.tokens));
            predictions.extend(self.predictions(now, wants)?);
            rest = later;
        }
        Ok(predictions)
    }
}

/// How many of the first pieces go into one pass.
fn fitting(pieces: &[Piece], tokens: usize) -> usize {
    let mut longest = 0;
    let mut count = 0;
    for piece in pieces {
        longest = longest.max(piece.inputs().len());
        if count > 0 && longest * (count + 1) > tokens {
            break;
        }
        count += 1;
    }
    count
}
