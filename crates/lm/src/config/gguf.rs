//! The description inside a GGUF file.

use super::gemma::{GEMMA3_PATTERN, LOCAL_BASE};
use super::{Activation, Architecture, Biases, Config, Local, NormKind, Rope};
use crate::gguf::{Content, Value};
use crate::{Error, Result};

pub(crate) fn read(content: &Content) -> Result<Config> {
    let metadata = Metadata::new(content)?;
    let architecture = Architecture::parse_gguf(&metadata.architecture)?;
    let width = metadata.size("embedding_length")?;
    let heads = metadata.size("attention.head_count")?;
    let head_width = metadata
        .optional_size("attention.key_length")?
        .unwrap_or(width / heads.max(1));
    let layer_norm = matches!(architecture, Architecture::Gpt2 | Architecture::GptNeox);
    let epsilon = if layer_norm {
        "attention.layer_norm_epsilon"
    } else {
        "attention.layer_norm_rms_epsilon"
    };
    let has = |name: &str| content.tensor_infos.contains_key(name);
    let layers = metadata.size("block_count")?;
    let gemma = architecture.is_gemma();
    if gemma && layers == LAYERS_OF_27B {
        return Err(Error::unsupported(
            "Gemma 3 of 27B is not supported in GGUF files, which do not say how it scales attention",
        )
        .hint("use the model as a folder with config.json"));
    }
    Config {
        architecture,
        layers,
        width,
        heads,
        kv_heads: metadata
            .optional_size("attention.head_count_kv")?
            .unwrap_or(heads),
        head_width,
        hidden: metadata.size("feed_forward_length")?,
        vocabulary: vocabulary(content, width)?,
        context: metadata.size("context_length")?,
        norm: if layer_norm {
            NormKind::Layer
        } else {
            NormKind::RootMeanSquare
        },
        epsilon: metadata.number(epsilon)?.ok_or_else(|| absent(epsilon))? as f32,
        activation: match architecture {
            // What the models these files come from were trained with.
            Architecture::Gpt2 => Activation::GeluTanh,
            Architecture::GptNeox => Activation::Gelu,
            known if known.is_gemma() => Activation::GeluTanh,
            _ => Activation::Silu,
        },
        rope: metadata.rope(architecture, head_width)?,
        parallel: metadata.flag("use_parallel_residual")?.unwrap_or(false),
        tied: !has("output.weight"),
        biases: Biases {
            queries: has("blk.0.attn_q.bias") || has("blk.0.attn_qkv.bias"),
            attention_out: has("blk.0.attn_output.bias"),
            feed_forward: has("blk.0.ffn_down.bias"),
        },
        scale_by_layer: false,
        score_width: head_width as f32,
        embedding_scale: if gemma { (width as f32).sqrt() } else { 1.0 },
        clip: None,
        score_cap: None,
        logit_cap: metadata
            .number("final_logit_softcapping")?
            .map(|cap| cap as f32),
        local: metadata.local(architecture, layers, head_width)?,
    }
    .checked()
}

/// The one Gemma 3 whose attention is not scaled by the head's width.
const LAYERS_OF_27B: usize = 62;

fn vocabulary(content: &Content, width: usize) -> Result<usize> {
    let embedding = content
        .tensor_infos
        .get("token_embd.weight")
        .ok_or_else(|| Error::missing("tensor token_embd.weight is missing"))?;
    Ok(embedding.numbers() / width.max(1))
}

fn absent(key: &str) -> Error {
    Error::malformed(format!("the metadata lacks {key:?}"))
}

struct Metadata<'a> {
    content: &'a Content,
    architecture: String,
}

impl<'a> Metadata<'a> {
    fn new(content: &'a Content) -> Result<Self> {
        let value = content.metadata.get("general.architecture");
        match value {
            Some(Value::String(architecture)) => Ok(Self {
                content,
                architecture: architecture.clone(),
            }),
            _ => Err(absent("general.architecture")),
        }
    }

    fn get(&self, key: &str) -> Option<&Value> {
        let key = format!("{}.{key}", self.architecture);
        self.content.metadata.get(&key)
    }

    fn size(&self, key: &str) -> Result<usize> {
        self.optional_size(key)?.ok_or_else(|| absent(key))
    }

    fn optional_size(&self, key: &str) -> Result<Option<usize>> {
        Ok(self.number(key)?.map(|number| number as usize))
    }

    fn number(&self, key: &str) -> Result<Option<f64>> {
        self.get(key)
            .map(|value| match *value {
                Value::U8(n) => Ok(f64::from(n)),
                Value::U16(n) => Ok(f64::from(n)),
                Value::U32(n) => Ok(f64::from(n)),
                Value::I32(n) => Ok(f64::from(n)),
                Value::U64(n) => Ok(n as f64),
                Value::I64(n) => Ok(n as f64),
                Value::F32(n) => Ok(f64::from(n)),
                Value::F64(n) => Ok(n),
                _ => Err(Error::unsupported(format!(
                    "metadata {key:?} is not one number"
                ))),
            })
            .transpose()
    }

    fn flag(&self, key: &str) -> Result<Option<bool>> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(Error::malformed(format!(
                "metadata {key:?} is not true or false"
            ))),
        }
    }

    /// Of Gemma 3 alone; a window of another model would be lost silently, so it is refused.
    fn local(
        &self,
        architecture: Architecture,
        layers: usize,
        head: usize,
    ) -> Result<Option<Local>> {
        let window = self.optional_size("attention.sliding_window")?;
        let Some(window) = window.filter(|window| *window > 0) else {
            return Ok(None);
        };
        if architecture != Architecture::Gemma3 {
            return Err(Error::unsupported(
                "attention.sliding_window is not supported in GGUF files of this architecture",
            )
            .hint("use the model as a folder with config.json"));
        }
        let base = self.number("rope.freq_base_swa")?;
        Ok(Some(Local {
            window,
            layers: (1..=layers)
                .map(|layer| !layer.is_multiple_of(GEMMA3_PATTERN))
                .collect(),
            rope: Some(Rope::plain(head, base.unwrap_or(LOCAL_BASE))?),
        }))
    }

    fn rope(&self, architecture: Architecture, head_width: usize) -> Result<Option<Rope>> {
        if architecture == Architecture::Gpt2 {
            return Ok(None);
        }
        let width = self
            .optional_size("rope.dimension_count")?
            .unwrap_or(head_width);
        let theta = self.number("rope.freq_base")?.unwrap_or(10_000.0);
        let mut rope = Rope::plain(width, theta)?;
        match self.get("rope.scaling.type") {
            None => {}
            Some(Value::String(kind)) if kind == "none" => {}
            Some(Value::String(kind)) if kind == "linear" => {
                let factor = self.number("rope.scaling.factor")?;
                rope.slow_down(factor.ok_or_else(|| absent("rope.scaling.factor"))?);
            }
            Some(kind) => {
                return Err(Error::unsupported(format!(
                    "rotary scaling {kind:?} is not supported in GGUF files"
                ))
                .hint("use the model as a folder with config.json"));
            }
        }
        Ok(Some(rope))
    }
}
