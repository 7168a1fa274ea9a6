//! The families of decoders, by the names that files give them.

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

    pub(super) fn parse(name: &str) -> Result<Self> {
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
    pub(super) fn parse_gguf(name: &str) -> Result<Self> {
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
