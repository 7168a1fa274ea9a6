//! GPT-NeoX (Pythia): partly rotary positions, layer normalisation, usually a parallel residual.

use super::{Activation, Architecture, Biases, Config, Json, NormKind, Rope};
use crate::Result;

pub(super) fn parse(json: &Json) -> Result<Config> {
    let width = json.size("hidden_size")?;
    let heads = json.size("num_attention_heads")?;
    let head_width = width / heads.max(1);
    let context = json.size("max_position_embeddings")?;
    let attention_bias = json.flag("attention_bias", true)?;
    let activation = json.text("hidden_act")?;
    let part = json.optional_number("rotary_pct")?.unwrap_or(0.25);
    Ok(Config {
        architecture: Architecture::GptNeox,
        layers: json.size("num_hidden_layers")?,
        width,
        heads,
        kv_heads: heads,
        head_width,
        hidden: json.size("intermediate_size")?,
        vocabulary: json.size("vocab_size")?,
        context,
        norm: NormKind::Layer,
        epsilon: json.optional_number("layer_norm_eps")?.unwrap_or(1e-5) as f32,
        activation: Activation::parse(activation.as_deref().unwrap_or("gelu"))?,
        rope: Some(Rope::parse(json, head_width, part, context)?),
        parallel: json.flag("use_parallel_residual", true)?,
        tied: json.flag("tie_word_embeddings", false)?,
        biases: Biases {
            queries: attention_bias,
            attention_out: attention_bias,
            feed_forward: true,
        },
        scale_by_layer: false,
        score_width: head_width as f32,
        embedding_scale: 1.0,
        clip: None,
        score_cap: None,
        logit_cap: None,
        local: None,
    })
}
