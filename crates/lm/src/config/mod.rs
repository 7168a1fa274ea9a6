//! What a model's own description says about its shape, in terms that all supported
//! architectures share.

mod folder;
mod gguf;
mod gpt2;
mod json;
mod llama;
mod neox;
mod rope;

pub(crate) use folder::read as from_folder;
pub(crate) use gguf::read as from_gguf;
pub(crate) use json::Json;
pub(crate) use rope::Rope;

use crate::{Error, Result};

/// The families of decoders that this room computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    Gpt2,
    Llama,
    Qwen2,
    GptNeox,
}

impl Architecture {
    const ALL: [Self; 4] = [Self::Gpt2, Self::Llama, Self::Qwen2, Self::GptNeox];

    /// As `model_type` in `config.json` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpt2 => "gpt2",
            Self::Llama => "llama",
            Self::Qwen2 => "qwen2",
            Self::GptNeox => "gpt_neox",
        }
    }

    fn parse(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|known| known.name() == name || known.name().replace('_', "") == name)
            .ok_or_else(|| {
                let supported = Self::ALL.map(Self::name).join(", ");
                Error::unsupported(format!("architecture {name:?} is not supported"))
                    .hint(format!("supported are {supported}"))
            })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NormKind {
    Layer,
    RootMeanSquare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    /// With the Gaussian's distribution function.
    Gelu,
    /// With the tanh approximation.
    GeluTanh,
    Relu,
    Silu,
}

impl Activation {
    pub(crate) fn parse(name: &str) -> Result<Self> {
        match name {
            "gelu" => Ok(Self::Gelu),
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" => Ok(Self::GeluTanh),
            "relu" => Ok(Self::Relu),
            "silu" | "swish" => Ok(Self::Silu),
            _ => Err(
                Error::unsupported(format!("activation {name:?} is not supported")).hint(
                    "supported are gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, relu and silu",
                ),
            ),
        }
    }
}

/// Which linear maps carry a bias.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Biases {
    pub(crate) queries: bool,
    pub(crate) attention_out: bool,
    pub(crate) feed_forward: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) architecture: Architecture,
    pub(crate) layers: usize,
    pub(crate) width: usize,
    pub(crate) heads: usize,
    pub(crate) kv_heads: usize,
    pub(crate) head_width: usize,
    pub(crate) hidden: usize,
    pub(crate) vocabulary: usize,
    pub(crate) context: usize,
    pub(crate) norm: NormKind,
    pub(crate) epsilon: f32,
    pub(crate) activation: Activation,
    pub(crate) rope: Option<Rope>,
    /// Attention and feed-forward both read the block's input.
    pub(crate) parallel: bool,
    pub(crate) tied: bool,
    pub(crate) biases: Biases,
    /// Attention scores of layer i are also divided by i + 1.
    pub(crate) scale_by_layer: bool,
    /// Attention scores are divided by the square root of the head's width.
    pub(crate) scale_by_width: bool,
}

impl Config {
    /// What every later computation relies on.
    fn checked(self) -> Result<Self> {
        let sizes = [
            ("layers", self.layers),
            ("width", self.width),
            ("heads", self.heads),
            ("key-value heads", self.kv_heads),
            ("width of a head", self.head_width),
            ("feed-forward width", self.hidden),
            ("vocabulary", self.vocabulary),
        ];
        if let Some((what, _)) = sizes.iter().find(|(_, size)| *size == 0) {
            return Err(Error::malformed(format!(
                "the model's description says {what}: 0"
            )));
        }
        if let Some((what, size)) = sizes.iter().find(|(_, size)| *size > 1 << 28) {
            return Err(Error::malformed(format!(
                "the model's description says {what}: {size}"
            )));
        }
        if !self.heads.is_multiple_of(self.kv_heads) {
            return Err(Error::malformed(format!(
                "{} heads cannot share {} key-value heads",
                self.heads, self.kv_heads
            )));
        }
        let fused = matches!(
            self.architecture,
            Architecture::Gpt2 | Architecture::GptNeox
        );
        if fused && (self.query_width() != self.width || self.kv_heads != self.heads) {
            return Err(Error::malformed(format!(
                "a width of {} cannot be shared out among {} heads and {} key-value heads",
                self.width, self.heads, self.kv_heads
            )));
        }
        if self.context < 2 {
            return Err(Error::malformed(format!(
                "a context of {} tokens predicts nothing",
                self.context
            )));
        }
        if let Some(rope) = &self.rope {
            rope.check(self.head_width)?;
        }
        Ok(self)
    }

    pub(crate) fn query_width(&self) -> usize {
        self.heads * self.head_width
    }

    pub(crate) fn kv_width(&self) -> usize {
        self.kv_heads * self.head_width
    }

    /// What attention scores of a layer are multiplied by.
    pub(crate) fn attention_scale(&self, layer: usize) -> f32 {
        let mut scale = 1.0;
        if self.scale_by_width {
            scale /= (self.head_width as f32).sqrt();
        }
        if self.scale_by_layer {
            scale /= (layer + 1) as f32;
        }
        scale
    }
}
