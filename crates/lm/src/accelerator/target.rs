//! A device that was found, and how finely it computes.

use candle_core::{DType, Device};

use super::complaint::unusable;
use crate::Result;
use crate::source::Precision;

pub(crate) struct Target {
    pub(super) device: Device,
    pub(super) kind: DType,
}

impl Target {
    pub(crate) fn find(number: usize, precision: Precision) -> Result<Self> {
        // The driver counts in 32 bits, and would take what is larger for another number.
        let device = Device::new_cuda(number.min(i32::MAX as usize));
        Ok(Self {
            device: device.map_err(|error| unusable(number, &error))?,
            kind: match precision {
                Precision::F32 => DType::F32,
                Precision::F16 => DType::F16,
                Precision::Bf16 => DType::BF16,
            },
        })
    }
}
