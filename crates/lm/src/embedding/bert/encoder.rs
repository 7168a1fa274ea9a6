//! A BERT's weights (Devlin et al. 2018).

use std::path::Path;

use rayon::prelude::*;

use super::config::Config;
use crate::Result;
use crate::decoder::{Linear, Norm};
use crate::embedding::tensors::Tensors;
use crate::weights::{Array, SafetensorsFiles};

pub(super) struct Encoder {
    pub(super) config: Config,
    pub(super) words: Array,
    /// With the embedding of the first kind of text, which is the only one here, added.
    pub(super) positions: Array,
    pub(super) first: Norm,
    pub(super) blocks: Vec<Block>,
}

pub(super) struct Block {
    /// All heads' queries, then keys, then values.
    pub(super) queries_keys_values: Linear,
    pub(super) attention_out: Linear,
    pub(super) after_attention: Norm,
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) after_feed_forward: Norm,
}

impl Encoder {
    pub(super) fn read(config: Config, folder: &Path) -> Result<Self> {
        let files = SafetensorsFiles::open_folder(folder)?;
        let whole = files.has("bert.embeddings.word_embeddings.weight");
        let prefix = if whole { "bert." } else { "" };
        let tensors = Tensors::new(files, folder, prefix);
        let width = config.width;
        let words = [config.vocabulary, width];
        Ok(Self {
            words: tensors.array("embeddings.word_embeddings.weight", &words)?,
            positions: positions(&config, &tensors)?,
            first: tensors.norm("embeddings.LayerNorm", width)?,
            blocks: (0..config.layers)
                .into_par_iter()
                .map(|layer| Block::read(&config, &tensors, layer))
                .collect::<Result<_>>()?,
            config,
        })
    }
}

fn positions(config: &Config, tensors: &Tensors) -> Result<Array> {
    let width = config.width;
    let kinds = "embeddings.token_type_embeddings.weight";
    let kinds = tensors.array(kinds, &[config.kinds, width])?;
    let name = "embeddings.position_embeddings.weight";
    let mut positions = tensors.array(name, &[config.positions, width])?;
    for row in positions.data.chunks_exact_mut(width) {
        for (value, added) in row.iter_mut().zip(kinds.row(0)) {
            *value += added;
        }
    }
    Ok(positions)
}

impl Block {
    fn read(config: &Config, tensors: &Tensors, layer: usize) -> Result<Self> {
        let name = |module: &str| format!("encoder.layer.{layer}.{module}");
        let (width, hidden) = (config.width, config.hidden);
        let parts = ["query", "key", "value"];
        let parts = parts.map(|part| name(&format!("attention.self.{part}")));
        Ok(Self {
            queries_keys_values: tensors.linears(&parts, width, width)?,
            attention_out: tensors.linear(&name("attention.output.dense"), width, width)?,
            after_attention: tensors.norm(&name("attention.output.LayerNorm"), width)?,
            up: tensors.linear(&name("intermediate.dense"), hidden, width)?,
            down: tensors.linear(&name("output.dense"), width, hidden)?,
            after_feed_forward: tensors.norm(&name("output.LayerNorm"), width)?,
        })
    }
}
