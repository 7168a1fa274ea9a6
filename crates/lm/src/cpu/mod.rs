//! The forward pass on the CPU: f32 slices, matrix products by `gemm`, loops compiled for the
//! processor's vectors.
//!
//! Texts are laid end to end, without padding. A batch is cut into chunks that depend on the
//! lengths of its texts alone, so results do not depend on the number of threads. A text that grows
//! keeps the keys and values of what was read before ([`Memory`]).

mod activation;
mod attending;
mod attention;
mod attention_of_one;
mod chunks;
mod function;
mod head;
mod matmul;
mod memory;
mod norm;
mod pass;
mod reading;
mod rotate;
mod soften;
mod statistics;
mod vector;

pub(crate) use attention::{Attention, Shape, Sight, side_by_side};
pub(crate) use chunks::cut;
pub(crate) use matmul::{Matrix, accumulate_scaled};
pub(crate) use memory::Memory;

use rayon::prelude::*;

use crate::Result;
use crate::decoder::Decoder;
use crate::scores::{Piece, Predictions, Wants};

pub(crate) struct CpuEngine {
    decoder: Decoder,
}

impl CpuEngine {
    pub(crate) fn new(decoder: Decoder) -> Self {
        Self { decoder }
    }

    pub(crate) fn score(&self, pieces: &[Piece], wants: Wants) -> Result<Vec<Predictions>> {
        let chunks = cut(pieces.iter().map(|piece| piece.inputs().len()));
        let one_each = chunks.len() >= rayon::current_num_threads();
        let hidden: Vec<Vec<f32>> = chunks
            .into_par_iter()
            .map(|chunk| pass::hidden(&self.decoder, &pieces[chunk], one_each))
            .collect();
        Ok(head::predictions(
            &self.decoder,
            pieces,
            &hidden.concat(),
            wants,
        ))
    }
}

/// Run a loop with the processor's vectors. What is called inside, the closure itself among it, must be
/// inlined: a function of its own is compiled for the oldest processor.
#[inline(always)]
fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(work)
}
