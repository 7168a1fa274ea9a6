//! GPT-2: learned positions, layer normalisation, tied head.

use super::{Activation, Architecture, Biases, Config, Json, NormKind};
use crate::{Error, Result};

pub(super) fn parse(json: &Json) -> Result<Config> {
    if json.flag("add_cross_attention", false)? {
        return Err(Error::unsupported("cross attention is not supported"));
    }
    let width = json.size("n_embd")?;
    let heads = json.size("n_head")?;
    let activation = json.text("activation_function")?;
    Ok(Config {
        architecture: Architecture::Gpt2,
        layers: json.size("n_layer")?,
        width,
        heads,
        kv_heads: heads,
        head_width: width / heads.max(1),
        hidden: json.optional_size("n_inner")?.unwrap_or(4 * width),
        vocabulary: json.size("vocab_size")?,
        context: match json.optional_size("n_positions")? {
            Some(context) => context,
            None => json.size("n_ctx")?,
        },
        norm: NormKind::Layer,
        epsilon: json.optional_number("layer_norm_epsilon")?.unwrap_or(1e-5) as f32,
        activation: Activation::parse(activation.as_deref().unwrap_or("gelu_new"))?,
        rope: None,
        parallel: false,
        tied: json.flag("tie_word_embeddings", true)?,
        biases: Biases {
            queries: true,
            attention_out: true,
            feed_forward: true,
        },
        scale_by_layer: json.flag("scale_attn_by_inverse_layer_idx", false)?,
        score_width: if json.flag("scale_attn_weights", true)? {
            (width / heads.max(1)) as f32
        } else {
            1.0
        },
        embedding_scale: 1.0,
        clip: None,
        score_cap: None,
        logit_cap: None,
        local: None,
    })
}
