//! Where the decoder runs.

use crate::accelerator::{Target, TensorEngine};
use crate::config::Config;
use crate::cpu::{CpuEngine, Memory};
use crate::decoder::Decoder;
use crate::scores::{Piece, Predictions, Wants};
use crate::source::{DeviceChoice, Precision};
use crate::{Error, Result};

// A model has one, for as long as it lives: its size does not matter.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Engine {
    Cpu(CpuEngine),
    Tensor(TensorEngine),
}

/// Where and how finely to compute, known to be possible.
pub(crate) enum Place {
    Cpu,
    Device(Target),
}

impl Place {
    pub(crate) fn find(device: DeviceChoice, precision: Precision) -> Result<Self> {
        match device {
            DeviceChoice::Cpu if precision == Precision::F32 => Ok(Self::Cpu),
            DeviceChoice::Cpu => Err(Error::unsupported("the CPU computes in f32 only")
                .hint("leave the precision at f32, or choose a CUDA device")),
            DeviceChoice::Cuda(number) => Target::find(number, precision).map(Self::Device),
        }
    }
}

impl Place {
    /// Whether a model can be computed here, which is known before its weights are read.
    pub(crate) fn check(&self, config: &Config) -> Result<()> {
        match (self, config.beyond_plain()) {
            (Self::Cpu, _) | (Self::Device(_), None) => Ok(()),
            (Self::Device(_), Some(what)) => Err(no_device(config, what)),
        }
    }
}

fn no_device(config: &Config, what: &str) -> Error {
    Error::unsupported(format!(
        "{} has {what}, which only the CPU computes here",
        config.architecture.name()
    ))
    .hint(
        "set scoring.device to cpu, let PyTorch score the texts on the GPU (guestlist.collect.tokens \
         in Python), or serve the model",
    )
}

impl Engine {
    pub(crate) fn new(decoder: Decoder, place: &Place) -> Result<Self> {
        Ok(match place {
            Place::Cpu => Self::Cpu(CpuEngine::new(decoder)),
            Place::Device(target) => Self::Tensor(TensorEngine::on(&decoder, target)?),
        })
    }

    pub(crate) fn score(&self, pieces: &[Piece], wants: Wants) -> Result<Vec<Predictions>> {
        match self {
            Self::Cpu(engine) => engine.score(pieces, wants),
            Self::Tensor(engine) => engine.score(pieces, wants),
        }
    }

    /// States of the last layer at the positions of each piece that predict.
    pub(crate) fn states(&self, pieces: &[Piece]) -> Result<Vec<Vec<f32>>> {
        match self {
            Self::Cpu(engine) => Ok(engine.states(pieces)),
            Self::Tensor(_) => Err(Error::unsupported(
                "states of the last layer are read on the CPU only",
            )
            .hint("set scoring.device to cpu")),
        }
    }

    /// The memory with which a text begins; other devices keep none between tokens.
    pub(crate) fn memory(&self) -> Option<Memory> {
        match self {
            Self::Cpu(engine) => Some(engine.memory()),
            Self::Tensor(_) => None,
        }
    }

    pub(crate) fn grows_together(&self) -> bool {
        matches!(self, Self::Tensor(_))
    }

    /// The engine that lets texts grow together.
    pub(crate) fn tensor(&self) -> Result<&TensorEngine> {
        match self {
            Self::Tensor(engine) => Ok(engine),
            Self::Cpu(_) => Err(
                Error::unsupported("the CPU continues one text after another")
                    .hint("choose a CUDA device"),
            ),
        }
    }

    /// Logits of the token that follows `text`, of which the memory's tokens are the beginning.
    pub(crate) fn read(&self, memory: Option<&mut Memory>, text: &[u32]) -> Result<Vec<f32>> {
        match (self, memory) {
            (Self::Cpu(engine), Some(memory)) => {
                let new = text.get(memory.tokens().len()..).unwrap_or_default();
                Ok(engine.read(memory, new))
            }
            (Self::Cpu(engine), None) => Ok(engine.read(&mut engine.memory(), text)),
            (Self::Tensor(engine), _) => engine.next(text),
        }
    }
}
