//! What a model's own description says about its shape, in terms that all supported
//! architectures share.

mod folder;
mod gemma;
mod gguf;
mod gpt2;
mod json;
mod llama;
mod local;
mod neox;
mod olmo;
mod phi3;
mod rope;

pub(crate) use folder::read as from_folder;
pub(crate) use gguf::read as from_gguf;
pub(crate) use json::Json;
pub(crate) use local::Local;
pub(crate) use rope::Rope;

use crate::{Error, Result};

/// How to go on with a model that is not computed here.
const ELSEWHERE: &str = "let PyTorch score the texts (guestlist.collect.tokens in Python) or serve the \
                         model (docs/guide-language-models-servers.md)";

/// The families of decoders that this room computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    Gpt2,
    Llama,
    Mistral,
    Qwen2,
    Qwen3,
    GptNeox,
    Gemma2,
    /// The text model alone.
    Gemma3,
    Phi3,
    Olmo,
    Olmo2,
}

impl Architecture {
    const ALL: [Self; 11] = [
        Self::Gpt2,
        Self::Llama,
        Self::Mistral,
        Self::Qwen2,
        Self::Qwen3,
        Self::GptNeox,
        Self::Gemma2,
        Self::Gemma3,
        Self::Phi3,
        Self::Olmo,
        Self::Olmo2,
    ];

    /// As `model_type` in `config.json` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gpt2 => "gpt2",
            Self::Llama => "llama",
            Self::Mistral => "mistral",
            Self::Qwen2 => "qwen2",
            Self::Qwen3 => "qwen3",
            Self::GptNeox => "gpt_neox",
            Self::Gemma2 => "gemma2",
            Self::Gemma3 => "gemma3_text",
            Self::Phi3 => "phi3",
            Self::Olmo => "olmo",
            Self::Olmo2 => "olmo2",
        }
    }

    fn parse(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.ok_or_else(|| {
            let supported = Self::ALL.map(Self::name).join(", ");
            let message = format!("architecture {name:?} is not supported");
            Error::unsupported(message).hint(match name {
                "gemma3" => format!(
                    "this model reads images too: save its language model alone, whose model_type \
                     is gemma3_text, or {ELSEWHERE}"
                ),
                _ => format!("supported are {supported}; or {ELSEWHERE}"),
            })
        })
    }

    /// As `general.architecture` of a GGUF file spells it. Others' layouts there are not known well
    /// enough: a converter may reorder weights.
    fn parse_gguf(name: &str) -> Result<Self> {
        match name {
            "gpt2" => Ok(Self::Gpt2),
            // Mistral's files call themselves so, too.
            "llama" => Ok(Self::Llama),
            "qwen2" => Ok(Self::Qwen2),
            "qwen3" => Ok(Self::Qwen3),
            "gptneox" => Ok(Self::GptNeox),
            "gemma3" => Ok(Self::Gemma3),
            _ => {
                let message = format!("architecture {name:?} is not supported in GGUF files");
                Err(Error::unsupported(message).hint(format!(
                    "supported are gpt2, llama, qwen2, qwen3, gptneox and gemma3; use the model as a \
                     folder with config.json, or {ELSEWHERE}"
                )))
            }
        }
    }

    /// Whether rows of the feed-forward layer hold gates beside what they let through.
    pub(crate) fn gated(self) -> bool {
        !matches!(self, Self::Gpt2 | Self::GptNeox)
    }

    /// Whether normalisation multiplies by 1 + weight.
    pub(crate) fn is_gemma(self) -> bool {
        matches!(self, Self::Gemma2 | Self::Gemma3)
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
    /// Attention scores are divided by the square root of this.
    pub(crate) score_width: f32,
    /// What embeddings are multiplied by.
    pub(crate) embedding_scale: f32,
    /// Queries, keys and values are cut off at plus and minus this.
    pub(crate) clip: Option<f32>,
    /// Attention scores x become c tanh(x / c) of this c.
    pub(crate) score_cap: Option<f32>,
    /// The same of logits.
    pub(crate) logit_cap: Option<f32>,
    /// Layers that see a window only.
    pub(crate) local: Option<Local>,
}

impl Config {
    /// What every later computation relies on.
    fn checked(mut self) -> Result<Self> {
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
        if !(self.score_width > 0.0 && self.score_width.is_finite()) {
            return Err(Error::malformed(format!(
                "attention scores cannot be divided by the square root of {}",
                self.score_width
            )));
        }
        let caps = [self.clip, self.score_cap, self.logit_cap];
        if let Some(cap) = caps.into_iter().flatten().find(|cap| !(*cap > 0.0)) {
            return Err(Error::malformed(format!(
                "the model's description cuts values off at {cap}"
            )));
        }
        if let Some(local) = &self.local {
            local.check(self.layers, self.head_width)?;
        }
        // A window as long as the context leaves nothing out.
        let context = self.context;
        self.local = self
            .local
            .filter(|local| local.window < context || local.rope.is_some());
        if let Some(rope) = &self.rope {
            rope.check(self.head_width)?;
        }
        Ok(self)
    }

    /// The last positions that a layer sees, itself among them; all where there is no such limit.
    pub(crate) fn window(&self, layer: usize) -> Option<usize> {
        let local = self.local.as_ref().filter(|local| local.is(layer));
        local.map(|local| local.window)
    }

    /// What a model has beyond the plain block that every device computes.
    pub(crate) fn beyond_plain(&self) -> Option<&'static str> {
        let normalised = matches!(
            self.architecture,
            Architecture::Qwen3 | Architecture::Gemma3 | Architecture::Olmo2
        );
        let capped = self.score_cap.is_some() || self.logit_cap.is_some();
        let parts = [
            (self.local.is_some(), "layers that see a window"),
            (normalised, "normalised queries and keys"),
            (capped, "soft caps"),
            (self.clip.is_some(), "clipped queries, keys and values"),
            (
                self.architecture.is_gemma(),
                "normalisation of what layers add",
            ),
        ];
        let mut found = parts.into_iter().filter(|(has, _)| *has);
        found.next().map(|(_, what)| what)
    }

    pub(crate) fn is_local(&self, layer: usize) -> bool {
        self.window(layer).is_some()
    }

    pub(crate) fn query_width(&self) -> usize {
        self.heads * self.head_width
    }

    pub(crate) fn kv_width(&self) -> usize {
        self.kv_heads * self.head_width
    }

    /// What attention scores of a layer are multiplied by.
    pub(crate) fn attention_scale(&self, layer: usize) -> f32 {
        let mut scale = 1.0 / self.score_width.sqrt();
        if self.scale_by_layer {
            scale /= (layer + 1) as f32;
        }
        scale
    }
}
