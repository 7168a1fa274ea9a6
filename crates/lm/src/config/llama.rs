//! Llama, Mistral, Qwen2 and Qwen3: rotary positions, root-mean-square normalisation, gated feed-forward.

use super::{Activation, Architecture, Biases, Config, Json, Local, NormKind, Rope};
use crate::Result;

pub(super) fn parse(json: &Json, architecture: Architecture) -> Result<Config> {
    let head_width = head_width(json, architecture)?;
    let context = json.size("max_position_embeddings")?;
    with_rope(
        json,
        architecture,
        Rope::parse(json, head_width, 1.0, context)?,
    )
}

/// Where a description leaves it out, what transformers takes for the architecture.
pub(super) fn head_width(json: &Json, architecture: Architecture) -> Result<usize> {
    Ok(match (json.optional_size("head_dim")?, architecture) {
        (Some(head_width), _) => head_width,
        (None, Architecture::Gemma2 | Architecture::Gemma3) => 256,
        (None, Architecture::Qwen3) => 128,
        (None, _) => json.size("hidden_size")? / json.size("num_attention_heads")?.max(1),
    })
}

pub(super) fn with_rope(json: &Json, architecture: Architecture, rope: Rope) -> Result<Config> {
    let qwen = architecture == Architecture::Qwen2;
    let width = json.size("hidden_size")?;
    let heads = json.size("num_attention_heads")?;
    let head_width = head_width(json, architecture)?;
    let attention_bias = json.flag("attention_bias", false)?;
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
        context: json.size("max_position_embeddings")?,
        norm: NormKind::RootMeanSquare,
        epsilon: json.optional_number("rms_norm_eps")?.unwrap_or(1e-6) as f32,
        activation: Activation::parse(activation.as_deref().unwrap_or("silu"))?,
        rope: Some(rope),
        parallel: false,
        tied: json.flag("tie_word_embeddings", false)?,
        biases: Biases {
            queries: qwen || attention_bias,
            attention_out: !qwen && attention_bias,
            feed_forward: json.flag("mlp_bias", false)?,
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

/// Every layer sees a window, unless the description says that there is none.
pub(super) fn mistral(json: &Json) -> Result<Config> {
    let mut config = parse(json, Architecture::Mistral)?;
    let usual = (!json.mentions("sliding_window")).then_some(MISTRAL_WINDOW);
    let window = json.optional_size("sliding_window")?.or(usual);
    config.local = window.map(|window| Local::everywhere(config.layers, window));
    Ok(config)
}

/// What transformers takes for Mistral where a description says nothing.
const MISTRAL_WINDOW: usize = 4096;

/// The upper layers see a window where the description asks for one.
pub(super) fn qwen(json: &Json, architecture: Architecture) -> Result<Config> {
    let mut config = parse(json, architecture)?;
    if json.flag("use_sliding_window", false)? {
        let window = json.optional_size("sliding_window")?;
        let first = json.optional_size("max_window_layers")?.unwrap_or(28);
        config.local = Local::new(json, config.layers, window, |layer| layer >= first)?;
    }
    Ok(config)
}
