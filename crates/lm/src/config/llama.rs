//! Llama and Qwen2: rotary positions, root-mean-square normalisation, gated feed-forward.

use super::{Activation, Architecture, Biases, Config, Json, NormKind, Rope};
use crate::{Error, Result};

pub(super) fn parse(json: &Json, architecture: Architecture) -> Result<Config> {
    if json.flag("use_sliding_window", false)? {
        return Err(
            Error::unsupported("sliding-window attention is not supported")
                .hint("set use_sliding_window to false if no text is longer than the window"),
        );
    }
    let qwen = architecture == Architecture::Qwen2;
    let width = json.size("hidden_size")?;
    let heads = json.size("num_attention_heads")?;
    let head_width = match json.optional_size("head_dim")? {
        Some(head_width) => head_width,
        None => width / heads.max(1),
    };
    let attention_bias = json.flag("attention_bias", false)?;
    let context = json.size("max_position_embeddings")?;
    let activation = json.text("hidden_act")?;
    Ok(Config {
        architecture,
        layers: json.size("num_hidden_layers")?,
        width,
        heads,
        kv_heads: json.optional_size("num_key_value_heads")?.unwrap_or(heads),
        head_width,
        hidden: json.size("intermediate_size")?,
        vocabulary: json.size("vocab_size")?,
        context,
        norm: NormKind::RootMeanSquare,
        epsilon: json.optional_number("rms_norm_eps")?.unwrap_or(1e-6) as f32,
        activation: Activation::parse(activation.as_deref().unwrap_or("silu"))?,
        rope: Some(Rope::parse(json, head_width, 1.0, context)?),
        parallel: false,
        tied: json.flag("tie_word_embeddings", false)?,
        biases: Biases {
            queries: qwen || attention_bias,
            attention_out: !qwen && attention_bias,
            feed_forward: json.flag("mlp_bias", false)?,
        },
        scale_by_layer: false,
        scale_by_width: true,
    })
}
