//! Text to tokens, exactly as the model's makers meant it.

mod fingerprint;
mod gguf;
mod pre;
mod stream;

pub(crate) use gguf::from_gguf;
pub use stream::Detokeniser;

use std::path::{Path, PathBuf};

use crate::weights::GgufFile;
use crate::{Error, ErrorKind, Result};

pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    fingerprint: String,
    /// One more than the largest id.
    size: usize,
    /// What stands for text that the vocabulary cannot spell.
    unknown: Option<u32>,
    path: PathBuf,
}

/// A token and where in the text it comes from: characters, not bytes, the end left out. Tokens that
/// were put around the text come from nowhere: their place is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocatedToken {
    pub id: u32,
    pub start: usize,
    pub end: usize,
}

impl Tokenizer {
    /// From a `tokenizer.json`, a folder that holds one, or a GGUF file.
    pub fn open(path: &Path) -> Result<Self> {
        if path.is_dir() {
            Self::from_folder(path)
        } else if path
            .extension()
            .is_some_and(|extension| extension == "gguf")
        {
            from_gguf(&GgufFile::open(path)?)
        } else {
            let json = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
            Self::from_json(&json, path)
        }
    }

    fn from_folder(folder: &Path) -> Result<Self> {
        let path = folder.join("tokenizer.json");
        if path.exists() {
            return Self::open(&path);
        }
        Err(Error::missing("there is no tokenizer.json")
            .within_file(folder)
            .hint(
                "save it with transformers: AutoTokenizer.from_pretrained(folder)\
                 .save_pretrained(folder), or name one that belongs to the model",
            ))
    }

    pub(crate) fn from_json(json: &[u8], path: &Path) -> Result<Self> {
        let broken = |error: &dyn std::fmt::Display| {
            Error::malformed(format!("is not a sound tokenizer.json: {error}")).within_file(path)
        };
        let mut inner = tokenizers::Tokenizer::from_bytes(json).map_err(|error| broken(&error))?;
        // A saved limit or padding is a setting of some past use, not of the model.
        inner
            .with_truncation(None)
            .map_err(|error| broken(&error))?;
        inner.with_padding(None);
        let largest = inner.get_vocab(true).into_values().max();
        let description: serde_json::Value =
            serde_json::from_slice(json).map_err(|error| broken(&error))?;
        Ok(Self {
            fingerprint: fingerprint::fingerprint(&inner, &description),
            size: largest.map_or(0, |largest| largest as usize + 1),
            unknown: unknown(&inner, &description["model"]),
            inner,
            path: path.to_owned(),
        })
    }

    /// With the special tokens that the tokenizer puts around every text.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>> {
        self.cut(text, true)
    }

    /// Without tokens around it; special tokens that the text itself spells are recognised.
    pub fn encode_bare(&self, text: &str) -> Result<Vec<u32>> {
        self.cut(text, false)
    }

    fn cut(&self, text: &str, around: bool) -> Result<Vec<u32>> {
        let encoding = self.inner.encode_fast(text, around);
        let encoding = encoding.map_err(|error| self.refused(&error))?;
        Ok(encoding.get_ids().to_vec())
    }

    /// As [`Tokenizer::encode`], and where each token comes from.
    pub fn encode_located(&self, text: &str) -> Result<Vec<LocatedToken>> {
        let encoding = self.inner.encode_char_offsets(text, true);
        let encoding = encoding.map_err(|error| self.refused(&error))?;
        let places = encoding.get_ids().iter().zip(encoding.get_offsets());
        let located = places.map(|(&id, &(start, end))| LocatedToken { id, start, end });
        Ok(located.collect())
    }

    fn refused(&self, error: &dyn std::fmt::Display) -> Error {
        let message = format!("the text cannot be tokenised: {error}");
        Error::new(ErrorKind::Text, message).within_file(&self.path)
    }

    /// The token that stands for what the vocabulary cannot spell, where there is one.
    pub fn unknown(&self) -> Option<u32> {
        self.unknown
    }

    /// Whether a token is no text but a sign, such as the end of one.
    pub fn is_special(&self, id: u32) -> bool {
        let added = self.inner.get_added_tokens_decoder();
        added.get(&id).is_some_and(|token| token.special)
    }

    /// Tokens back to text, special ones left out.
    pub fn decode(&self, tokens: &[u32]) -> Result<String> {
        self.inner.decode(tokens, true).map_err(|error| {
            Error::new(
                ErrorKind::Text,
                format!("the tokens cannot be turned into text: {error}"),
            )
            .within_file(&self.path)
        })
    }

    /// The id of a special token, by its spelling.
    pub(crate) fn special(&self, content: &str) -> Option<u32> {
        let id = self.inner.token_to_id(content)?;
        let added = self.inner.get_added_tokens_decoder();
        added.get(&id).filter(|token| token.special).map(|_| id)
    }

    /// One more than the largest id, special tokens among them.
    pub fn vocabulary_size(&self) -> usize {
        self.size
    }

    /// The token as the vocabulary spells it.
    pub fn token(&self, id: u32) -> Option<String> {
        self.inner.id_to_token(id)
    }

    /// SHA-256, in hexadecimal, of everything that decides how a text is cut: two models whose
    /// tokenizers agree in it can be compared token by token.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Where it was read from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it can belong to a model with so many rows in its embedding.
    pub(crate) fn check_belongs(&self, rows: usize) -> Result<()> {
        let size = self.size;
        let spare = (rows / 20).max(1024);
        let remedy = "use the tokenizer.json that was published with the model";
        if size > rows {
            Err(Error::mismatch(format!(
                "the tokenizer has ids up to {} but the model knows only {rows} tokens",
                size - 1
            ))
            .within_file(&self.path)
            .hint(remedy))
        } else if size + spare < rows {
            Err(Error::mismatch(format!(
                "the tokenizer has {size} tokens but the model knows {rows}"
            ))
            .within_file(&self.path)
            .hint(remedy))
        } else {
            Ok(())
        }
    }
}

/// Named by its spelling, or by its place in a vocabulary that is a list.
fn unknown(inner: &tokenizers::Tokenizer, model: &serde_json::Value) -> Option<u32> {
    let spelled = model["unk_token"].as_str();
    let named = spelled.and_then(|token| inner.token_to_id(token));
    let placed = || u32::try_from(model["unk_id"].as_u64()?).ok();
    named.or_else(placed)
}
