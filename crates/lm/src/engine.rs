//! Where the decoder runs.

use candle_core::{DType, Device};

use crate::accelerator::TensorEngine;
use crate::cpu::CpuEngine;
use crate::decoder::Decoder;
use crate::error::{Error, ErrorKind, Result};
use crate::scores::{Piece, Predictions, Wants};
use crate::source::{DeviceChoice, Precision};

pub(crate) enum Engine {
    Cpu(CpuEngine),
    Tensor(TensorEngine),
}

impl Engine {
    pub(crate) fn new(
        decoder: Decoder,
        device: DeviceChoice,
        precision: Precision,
    ) -> Result<Self> {
        match device {
            DeviceChoice::Cpu if precision == Precision::F32 => {
                Ok(Self::Cpu(CpuEngine::new(decoder)))
            }
            DeviceChoice::Cpu => Err(Error::unsupported("the CPU computes in f32 only")
                .hint("leave the precision at f32, or choose a CUDA device")),
            DeviceChoice::Cuda(number) => {
                let device = cuda(number)?;
                Ok(Self::Tensor(TensorEngine::new(
                    &decoder,
                    &device,
                    kind(precision),
                )?))
            }
        }
    }

    pub(crate) fn score(&self, pieces: &[Piece], wants: Wants) -> Result<Vec<Predictions>> {
        match self {
            Self::Cpu(engine) => engine.score(pieces, wants),
            Self::Tensor(engine) => engine.score(pieces, wants),
        }
    }
}

fn cuda(number: usize) -> Result<Device> {
    Device::new_cuda(number).map_err(|error| {
        let hint = if cfg!(feature = "cuda") {
            "check the device's number and driver with nvidia-smi"
        } else {
            "build with the feature `cuda`, or run on the CPU"
        };
        Error::new(
            ErrorKind::Device,
            format!("CUDA device {number} cannot be used: {error}"),
        )
        .hint(hint)
    })
}

fn kind(precision: Precision) -> DType {
    match precision {
        Precision::F32 => DType::F32,
        Precision::F16 => DType::F16,
        Precision::Bf16 => DType::BF16,
    }
}
