//! Llama and Qwen2.

use super::{Block, Decoder, blocks, side_by_side};
use crate::config::Config;
use crate::weights::Weights;
use crate::{Error, Result};

pub(super) fn read(mut config: Config, weights: &Weights) -> Result<Decoder> {
    let (vocabulary, width) = (config.vocabulary, config.width);
    if let (Some(rope), Some(factors)) = (&mut config.rope, weights.rope_factors()?) {
        if factors.len() != rope.frequencies.len() {
            return Err(Error::mismatch(format!(
                "rope_freqs.weight has {} factors for {} frequencies",
                factors.len(),
                rope.frequencies.len()
            )));
        }
        rope.slow_down_each(&factors);
    }
    let head = (!config.tied)
        .then(|| weights.array("lm_head.weight", &[vocabulary, width]))
        .transpose()?;
    Ok(Decoder {
        embedding: weights.array("embed_tokens.weight", &[vocabulary, width])?,
        positions: None,
        blocks: blocks(config.layers, |layer| block(&config, weights, layer))?,
        last: weights.rms_norm("norm", width)?,
        head,
        config,
    })
}

fn block(config: &Config, weights: &Weights, layer: usize) -> Result<Block> {
    let name = |module: &str| format!("layers.{layer}.{module}");
    let (width, hidden) = (config.width, config.hidden);
    let (queries, keys) = (config.query_width(), config.kv_width());
    let biases = config.biases;
    let attention = |module, out| weights.linear(&name(module), out, width, biases.queries);
    let feed = |module| weights.linear(&name(module), hidden, width, biases.feed_forward);
    Ok(Block {
        before_attention: weights.rms_norm(&name("input_layernorm"), width)?,
        queries_keys_values: side_by_side(vec![
            attention("self_attn.q_proj", queries)?,
            attention("self_attn.k_proj", keys)?,
            attention("self_attn.v_proj", keys)?,
        ]),
        attention_out: weights.linear(
            &name("self_attn.o_proj"),
            width,
            queries,
            biases.attention_out,
        )?,
        before_feed_forward: weights.rms_norm(&name("post_attention_layernorm"), width)?,
        up: side_by_side(vec![feed("mlp.gate_proj")?, feed("mlp.up_proj")?]),
        down: weights.linear(&name("mlp.down_proj"), width, hidden, biases.feed_forward)?,
    })
}
