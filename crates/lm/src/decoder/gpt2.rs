//! GPT-2, whose weights are stored [in, out].

use super::{Block, Decoder, blocks};
use crate::Result;
use crate::config::Config;
use crate::weights::Weights;

pub(super) fn read(config: Config, weights: &Weights) -> Result<Decoder> {
    let (vocabulary, width) = (config.vocabulary, config.width);
    let head = (!config.tied)
        .then(|| weights.array("lm_head.weight", &[vocabulary, width]))
        .transpose()?;
    Ok(Decoder {
        embedding: weights.array("wte.weight", &[vocabulary, width])?,
        positions: Some(weights.array("wpe.weight", &[config.context, width])?),
        blocks: blocks(config.layers, |layer| block(&config, weights, layer))?,
        last: weights.layer_norm("ln_f", width)?,
        head,
        config,
    })
}

fn block(config: &Config, weights: &Weights, layer: usize) -> Result<Block> {
    let name = |module: &str| format!("h.{layer}.{module}");
    let (width, hidden) = (config.width, config.hidden);
    Ok(Block {
        before_attention: Some(weights.layer_norm(&name("ln_1"), width)?),
        queries_keys_values: weights.transposed_linear(&name("attn.c_attn"), 3 * width, width)?,
        attention_out: weights.transposed_linear(&name("attn.c_proj"), width, width)?,
        of_heads: None,
        after_attention: None,
        after_feed_forward: None,
        before_feed_forward: Some(weights.layer_norm(&name("ln_2"), width)?),
        up: weights.transposed_linear(&name("mlp.c_fc"), hidden, width)?,
        down: weights.transposed_linear(&name("mlp.c_proj"), width, hidden)?,
    })
}
