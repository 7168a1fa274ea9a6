//! GPT-NeoX, which stores query, key and value of each head together.

use super::{Block, Decoder, Linear, blocks};
use crate::Result;
use crate::config::Config;
use crate::weights::Weights;

pub(super) fn read(config: Config, weights: &Weights) -> Result<Decoder> {
    let (vocabulary, width) = (config.vocabulary, config.width);
    let head = (!config.tied)
        .then(|| weights.array("embed_out.weight", &[vocabulary, width]))
        .transpose()?;
    Ok(Decoder {
        embedding: weights.array("embed_in.weight", &[vocabulary, width])?,
        positions: None,
        blocks: blocks(config.layers, |layer| block(&config, weights, layer))?,
        last: weights.layer_norm("final_layer_norm", width)?,
        head,
        config,
    })
}

fn block(config: &Config, weights: &Weights, layer: usize) -> Result<Block> {
    let name = |module: &str| format!("layers.{layer}.{module}");
    let (width, hidden, biases) = (config.width, config.hidden, config.biases);
    let fused = weights.linear(
        &name("attention.query_key_value"),
        3 * config.query_width(),
        width,
        biases.queries,
    )?;
    Ok(Block {
        before_attention: Some(weights.layer_norm(&name("input_layernorm"), width)?),
        queries_keys_values: separated(&fused, config.heads, config.head_width),
        attention_out: weights.linear(
            &name("attention.dense"),
            width,
            config.query_width(),
            biases.attention_out,
        )?,
        of_heads: None,
        after_attention: None,
        after_feed_forward: None,
        before_feed_forward: Some(weights.layer_norm(&name("post_attention_layernorm"), width)?),
        up: weights.linear(&name("mlp.dense_h_to_4h"), hidden, width, true)?,
        down: weights.linear(&name("mlp.dense_4h_to_h"), width, hidden, true)?,
    })
}

/// All heads' queries, then keys, then values.
fn separated(fused: &Linear, heads: usize, head: usize) -> Linear {
    let order: Vec<usize> = (0..3 * heads * head)
        .map(|column| {
            let (part, within) = (column / (heads * head), column % (heads * head));
            (within / head * 3 + part) * head + within % head
        })
        .collect();
    let bias = fused.bias.as_ref();
    Linear {
        weight: fused.weight.with_columns(&order),
        bias: bias.map(|bias| order.iter().map(|&column| bias[column]).collect()),
    }
}
