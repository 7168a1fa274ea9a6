//! In the place of other devices, where the build has none.

use crate::decoder::Decoder;
use crate::scores::{Piece, Predictions, Wants};
use crate::source::Precision;
use crate::{Error, ErrorKind, Result};

/// Never found.
pub(crate) enum Target {}

impl Target {
    pub(crate) fn find(number: usize, _precision: Precision) -> Result<Self> {
        let message =
            format!("CUDA device {number} cannot be used: this build has no support for CUDA");
        Err(Error::new(ErrorKind::Device, message)
            .hint("build with the feature `cuda`, or run on the CPU"))
    }
}

/// Never made.
pub(crate) enum Growing {}

/// What a device would say of texts that grow together.
pub(crate) struct Following {
    pub likeliest: Vec<u32>,
    pub logits: Option<Vec<Vec<f32>>>,
}

/// Never made.
pub(crate) enum TensorEngine {}

impl TensorEngine {
    pub(crate) fn on(_decoder: &Decoder, target: &Target) -> Result<Self> {
        match *target {}
    }

    pub(crate) fn score(&self, _pieces: &[Piece], _wants: Wants) -> Result<Vec<Predictions>> {
        match *self {}
    }

    pub(crate) fn next(&self, _text: &[u32]) -> Result<Vec<f32>> {
        match *self {}
    }

    pub(crate) fn begin(
        &self,
        _texts: &[&[u32]],
        _room: usize,
        _drawn: bool,
    ) -> Result<(Growing, Following)> {
        match *self {}
    }

    pub(crate) fn grow(
        &self,
        _growing: &mut Growing,
        _tokens: &[u32],
        _drawn: bool,
    ) -> Result<Following> {
        match *self {}
    }

    pub(crate) fn keep(&self, _growing: &mut Growing, _texts: &[usize]) -> Result<()> {
        match *self {}
    }
}
