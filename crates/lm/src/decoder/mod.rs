//! One decoder for all architectures: what differs between them is settled while reading weights.

mod gpt2;
mod llama;
mod neox;

use rayon::prelude::*;

use crate::Result;
use crate::config::{Architecture, Config};
use crate::weights::{Array, Weights};

/// A linear map: weight [in, out], the layout that matrix products read fastest.
pub(crate) struct Linear {
    pub(crate) weight: Array,
    pub(crate) bias: Option<Vec<f32>>,
}

pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Option<Vec<f32>>,
}

/// Of queries and of keys: head by head, or over all heads where weights are as wide.
pub(crate) struct HeadNorms {
    pub(crate) queries: Norm,
    pub(crate) keys: Norm,
}

/// Norms that are absent leave things as they are.
pub(crate) struct Block {
    pub(crate) before_attention: Option<Norm>,
    /// All heads' queries, then keys, then values.
    pub(crate) queries_keys_values: Linear,
    pub(crate) of_heads: Option<HeadNorms>,
    pub(crate) attention_out: Linear,
    /// Of what attention adds.
    pub(crate) after_attention: Option<Norm>,
    pub(crate) before_feed_forward: Option<Norm>,
    /// When gated: the gates, then what they let through.
    pub(crate) up: Linear,
    pub(crate) down: Linear,
    /// Of what the feed-forward layer adds.
    pub(crate) after_feed_forward: Option<Norm>,
}

pub(crate) struct Decoder {
    pub(crate) config: Config,
    pub(crate) embedding: Array,
    pub(crate) positions: Option<Array>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) last: Norm,
    /// Absent when the embedding serves as head.
    pub(crate) head: Option<Array>,
}

impl Decoder {
    pub(crate) fn read(config: Config, weights: &Weights) -> Result<Self> {
        match config.architecture {
            Architecture::Gpt2 => gpt2::read(config, weights),
            Architecture::GptNeox => neox::read(config, weights),
            _ => llama::read(config, weights),
        }
    }

    pub(crate) fn gated(config: &Config) -> bool {
        config.architecture.gated()
    }

    pub(crate) fn parameters(&self) -> usize {
        let norm = |norm: &Norm| norm.weight.len() + norm.bias.as_ref().map_or(0, Vec::len);
        let linear = |map: &Linear| map.weight.data.len() + map.bias.as_ref().map_or(0, Vec::len);
        let block = |block: &Block| {
            let of_heads = block.of_heads.as_ref();
            let norms = [
                block.before_attention.as_ref(),
                of_heads.map(|norms| &norms.queries),
                of_heads.map(|norms| &norms.keys),
                block.after_attention.as_ref(),
                block.before_feed_forward.as_ref(),
                block.after_feed_forward.as_ref(),
            ];
            norms.into_iter().flatten().map(norm).sum::<usize>()
                + linear(&block.queries_keys_values)
                + linear(&block.attention_out)
                + linear(&block.up)
                + linear(&block.down)
        };
        let optional = |array: &Option<Array>| array.as_ref().map_or(0, |array| array.data.len());
        self.embedding.data.len()
            + optional(&self.positions)
            + self.blocks.iter().map(block).sum::<usize>()
            + norm(&self.last)
            + optional(&self.head)
    }
}

/// Read all blocks, several at once.
fn blocks(
    layers: usize,
    read: impl Fn(usize) -> Result<Block> + Sync + Send,
) -> Result<Vec<Block>> {
    (0..layers).into_par_iter().map(read).collect()
}

impl Weights {
    /// Stored [out, in].
    fn linear(&self, module: &str, out: usize, input: usize, bias: bool) -> Result<Linear> {
        let weight = self.array(&format!("{module}.weight"), &[out, input])?;
        Ok(Linear {
            weight: weight.transposed(),
            bias: self.bias(module, out, bias)?,
        })
    }

    /// Stored [in, out], as GPT-2's are.
    fn transposed_linear(&self, module: &str, out: usize, input: usize) -> Result<Linear> {
        Ok(Linear {
            weight: self.array(&format!("{module}.weight"), &[input, out])?,
            bias: self.bias(module, out, true)?,
        })
    }

    fn bias(&self, module: &str, length: usize, wanted: bool) -> Result<Option<Vec<f32>>> {
        wanted
            .then(|| self.vector(&format!("{module}.bias"), length))
            .transpose()
    }

    fn layer_norm(&self, module: &str, width: usize) -> Result<Norm> {
        Ok(Norm {
            weight: self.vector(&format!("{module}.weight"), width)?,
            bias: Some(self.vector(&format!("{module}.bias"), width)?),
        })
    }

    fn rms_norm(&self, module: &str, width: usize) -> Result<Norm> {
        let mut weight = self.vector(&format!("{module}.weight"), width)?;
        if self.norms_lack_one() {
            weight.iter_mut().for_each(|weight| *weight += 1.0);
        }
        Ok(Norm { weight, bias: None })
    }
}

/// Several maps of the same input as one.
pub(crate) fn side_by_side(maps: Vec<Linear>) -> Linear {
    let mut weights = Vec::new();
    let mut biases = Vec::new();
    for map in maps {
        weights.push(map.weight);
        biases.extend(map.bias.unwrap_or_default());
    }
    Linear {
        weight: Array::beside(&weights),
        bias: (!biases.is_empty()).then_some(biases),
    }
}
