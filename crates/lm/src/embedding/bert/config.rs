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
    pub(super) pooling: Pooling,
}

/// How the states of a text's tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// The mean over all tokens (all-MiniLM-L6-v2).
    Mean,
    /// The state of the first token, which stands for the text (bge).
    First,
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
        config.pooling = read_pooling(&folder.join("1_Pooling").join("config.json"))?;
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
            pooling: Pooling::Mean,
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

/// Folders without this file are taken to want the mean, as most models do. Several ways at once are
/// several vectors end to end, which no model here is known to want.
fn read_pooling(path: &Path) -> Result<Pooling> {
    if !path.exists() {
        return Ok(Pooling::Mean);
    }
    let json = Json::read(path)?;
    let flag = |key: &str| {
        let flag = json.flag(key, false);
        flag.map_err(|error| {
            let error = error.within_file(path);
            error.hint("the file is damaged; download the model again")
        })
    };
    for key in OTHER_POOLING {
        if flag(key)? {
            return Err(unknown_pooling(path, format!("the model pools by {key}")));
        }
    }
    let (mean, first) = (
        flag("pooling_mode_mean_tokens")?,
        flag("pooling_mode_cls_token")?,
    );
    match (mean, first) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        (true, true) => {
            let message = "the model pools by the mean and by the first token at once";
            Err(unknown_pooling(path, message.into()))
        }
        (false, false) => {
            let message = "the model pools neither by the mean nor by the first token";
            Err(unknown_pooling(path, message.into()))
        }
    }
}

/// Ways that sentence-transformers knows besides.
const OTHER_POOLING: [&str; 4] = [
    "pooling_mode_max_tokens",
    "pooling_mode_mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens",
    "pooling_mode_lasttoken",
];

fn unknown_pooling(path: &Path, message: String) -> Error {
    Error::unsupported(message).within_file(path).hint(
        "use a model with pooling_mode_mean_tokens or pooling_mode_cls_token alone, such as \
         all-MiniLM-L6-v2 or bge-small-en-v1.5",
    )
}
