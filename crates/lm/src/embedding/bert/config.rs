//! What a folder of sentence-transformers says about its BERT.

use std::path::Path;

use crate::config::{Activation, Json};
use crate::{Error, Result};

pub(super) struct Config {
    pub(super) layers: usize,
    pub(super) width: usize,
    pub(super) heads: usize,
    pub(super) hidden: usize,
    pub(super) vocabulary: usize,
    pub(super) positions: usize,
    pub(super) kinds: usize,
    pub(super) epsilon: f32,
    pub(super) activation: Activation,
    /// The most tokens of a text that are read.
    pub(super) longest: usize,
}

/// More than any size in a model's description.
const LARGEST: usize = 1 << 28;

impl Config {
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("config.json");
        let json = Json::read(&path)?;
        let mut config = Self::parse(&json)
            .and_then(Self::checked)
            .map_err(|error| error.within_file(&path))?;
        check_pooling(&folder.join("1_Pooling").join("config.json"))?;
        let path = folder.join("sentence_bert_config.json");
        if path.exists() {
            let longest = Json::read(&path)?.optional_size("max_seq_length");
            let longest = longest.map_err(|error| error.within_file(&path))?;
            config.longest = longest.unwrap_or(config.longest).min(config.positions);
        }
        if config.longest < 3 {
            return Err(Error::malformed(format!(
                "a text of {} tokens says nothing (max_seq_length)",
                config.longest
            ))
            .within_file(&path));
        }
        Ok(config)
    }

    fn parse(json: &Json) -> Result<Self> {
        if let Some(kind) = json.text("position_embedding_type")?
            && kind != "absolute"
        {
            return Err(Error::unsupported(format!(
                "\"position_embedding_type\" is {kind:?}, and only \"absolute\" is supported"
            )));
        }
        let positions = json.size("max_position_embeddings")?;
        Ok(Self {
            layers: json.size("num_hidden_layers")?,
            width: json.size("hidden_size")?,
            heads: json.size("num_attention_heads")?,
            hidden: json.size("intermediate_size")?,
            vocabulary: json.size("vocab_size")?,
            positions,
            kinds: json.optional_size("type_vocab_size")?.unwrap_or(2),
            epsilon: json.optional_number("layer_norm_eps")?.unwrap_or(1e-12) as f32,
            activation: Activation::parse(json.text("hidden_act")?.as_deref().unwrap_or("gelu"))?,
            longest: positions,
        })
    }

    fn checked(self) -> Result<Self> {
        let sizes = [
            ("num_hidden_layers", self.layers),
            ("hidden_size", self.width),
            ("num_attention_heads", self.heads),
            ("intermediate_size", self.hidden),
            ("vocab_size", self.vocabulary),
            ("max_position_embeddings", self.positions),
            ("type_vocab_size", self.kinds),
        ];
        let senseless = |(_, size): &&(&str, usize)| !(1..=LARGEST).contains(size);
        if let Some((key, size)) = sizes.iter().find(senseless) {
            return Err(Error::malformed(format!("{key:?} is {size}"))
                .hint("config.json is damaged; download the model again"));
        }
        if !self.width.is_multiple_of(self.heads) {
            return Err(Error::malformed(format!(
                "a width of {} cannot be shared out among {} heads",
                self.width, self.heads
            ))
            .hint("config.json is damaged; download the model again"));
        }
        Ok(self)
    }
}

/// Folders without this file are taken to want the mean, as most models do.
fn check_pooling(path: &Path) -> Result<()> {
    if !path.exists() {
        return Ok(());
    }
    let json = Json::read(path)?;
    let mean = json.flag("pooling_mode_mean_tokens", false);
    if mean.map_err(|error| error.within_file(path))? {
        return Ok(());
    }
    Err(
        Error::unsupported("the model does not pool by the mean of its tokens")
            .within_file(path)
            .hint("use a model whose pooling_mode_mean_tokens is true, such as all-MiniLM-L6-v2"),
    )
}
