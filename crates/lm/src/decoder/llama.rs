//! Llama and its relatives: Mistral, Qwen, Gemma, Phi-3 and OLMo.

use super::{Block, Decoder, HeadNorms, Linear, Norm, blocks, side_by_side};
use crate::config::{Architecture, Config};
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
        blocks: blocks(config.layers, |layer| {
            let reading = Reading {
                config: &config,
                weights,
                layer,
            };
            reading.block()
        })?,
        last: norm(&config, weights, "norm", width)?,
        head,
        config,
    })
}

/// OLMo's normalisation has no weights of its own.
fn norm(config: &Config, weights: &Weights, module: &str, width: usize) -> Result<Norm> {
    match config.architecture {
        Architecture::Olmo => Ok(Norm {
            weight: vec![1.0; width],
            bias: None,
        }),
        _ => weights.rms_norm(module, width),
    }
}

/// One layer's weights.
struct Reading<'a> {
    config: &'a Config,
    weights: &'a Weights,
    layer: usize,
}

impl Reading<'_> {
    fn block(&self) -> Result<Block> {
        let config = self.config;
        let (width, hidden) = (config.width, config.hidden);
        let [
            before_attention,
            after_attention,
            before_feed_forward,
            after_feed_forward,
        ] = self.norms()?;
        Ok(Block {
            before_attention,
            queries_keys_values: self.queries_keys_values()?,
            of_heads: self.of_heads()?,
            attention_out: self.linear(
                "self_attn.o_proj",
                width,
                config.query_width(),
                config.biases.attention_out,
            )?,
            after_attention,
            before_feed_forward,
            up: self.up()?,
            down: self.linear("mlp.down_proj", width, hidden, config.biases.feed_forward)?,
            after_feed_forward,
        })
    }

    /// Before and after attention, before and after the feed-forward layer.
    fn norms(&self) -> Result<[Option<Norm>; 4]> {
        let names = match self.config.architecture {
            known if known.is_gemma() => [
                Some("input_layernorm"),
                Some("post_attention_layernorm"),
                Some("pre_feedforward_layernorm"),
                Some("post_feedforward_layernorm"),
            ],
            Architecture::Olmo2 => [
                None,
                Some("post_attention_layernorm"),
                None,
                Some("post_feedforward_layernorm"),
            ],
            _ => [
                Some("input_layernorm"),
                None,
                Some("post_attention_layernorm"),
                None,
            ],
        };
        let read = |name: Option<&str>| {
            name.map(|name| {
                norm(
                    self.config,
                    self.weights,
                    &self.name(name),
                    self.config.width,
                )
            })
            .transpose()
        };
        let [a, b, c, d] = names;
        Ok([read(a)?, read(b)?, read(c)?, read(d)?])
    }

    fn queries_keys_values(&self) -> Result<Linear> {
        let (queries, keys) = (self.config.query_width(), self.config.kv_width());
        let attention =
            |module, out| self.linear(module, out, self.config.width, self.config.biases.queries);
        if self.config.architecture == Architecture::Phi3 {
            return attention("self_attn.qkv_proj", queries + 2 * keys);
        }
        Ok(side_by_side(vec![
            attention("self_attn.q_proj", queries)?,
            attention("self_attn.k_proj", keys)?,
            attention("self_attn.v_proj", keys)?,
        ]))
    }

    fn of_heads(&self) -> Result<Option<HeadNorms>> {
        let config = self.config;
        let (queries, keys) = match config.architecture {
            Architecture::Qwen3 | Architecture::Gemma3 => (config.head_width, config.head_width),
            Architecture::Olmo2 => (config.query_width(), config.kv_width()),
            _ => return Ok(None),
        };
        let norm = |module, width| self.weights.rms_norm(&self.name(module), width);
        Ok(Some(HeadNorms {
            queries: norm("self_attn.q_norm", queries)?,
            keys: norm("self_attn.k_norm", keys)?,
        }))
    }

    fn up(&self) -> Result<Linear> {
        let (width, hidden) = (self.config.width, self.config.hidden);
        let feed = |module, out| self.linear(module, out, width, self.config.biases.feed_forward);
        if self.config.architecture == Architecture::Phi3 {
            return feed("mlp.gate_up_proj", 2 * hidden);
        }
        Ok(side_by_side(vec![
            feed("mlp.gate_proj", hidden)?,
            feed("mlp.up_proj", hidden)?,
        ]))
    }

    fn linear(&self, module: &str, out: usize, input: usize, bias: bool) -> Result<Linear> {
        self.weights.linear(&self.name(module), out, input, bias)
    }

    fn name(&self, module: &str) -> String {
        format!("layers.{}.{module}", self.layer)
    }
}
