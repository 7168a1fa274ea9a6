//! In the place of kernels for NVIDIA devices, where the build has none.

use candle_core::{DType, Device, Result};

use super::TensorEngine;
use super::packed::Packed;
use super::upload::Block;
use crate::config::Config;

/// Never made.
pub(super) enum Fused {}

impl Fused {
    pub(super) fn covers(_: &Config, _: &Device, _: DType) -> Result<bool> {
        Ok(false)
    }

    pub(super) fn new(_: &Config, _: &Device, _: DType, _: &[Block]) -> Result<Self> {
        candle_core::bail!("this build has no kernels for devices")
    }

    pub(super) fn describe(&self, _: &TensorEngine, _: &Packed) -> Result<(Vec<u32>, Vec<f32>)> {
        match *self {}
    }

    pub(super) fn following(&self, _: &TensorEngine, _: &Packed) -> Result<Vec<f32>> {
        match *self {}
    }
}
