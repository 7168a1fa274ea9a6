//! How training will treat its texts, as far as it matters to canaries.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What a trainer or a pipeline before it drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Deduplication {
    /// Rows that are the same.
    Exact,
    /// Rows that are nearly the same, too.
    Near,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CheckSettings {
    /// The tokenizer that training uses: a model's folder, a `tokenizer.json` or a GGUF file.
    #[serde(skip_serializing)]
    pub tokenizer: Option<PathBuf>,
    /// Tokens of a text that are kept; the tokenizer's own limit where nothing is said.
    pub max_length: Option<usize>,
    /// Whether the loss leaves prompts out.
    pub prompt_masked: bool,
    /// Where texts hold prompt and answer in one: what stands before the answer.
    pub response_template: Option<String>,
    /// Whether texts are joined and cut into blocks of the maximal length.
    pub packing: bool,
    pub deduplicate: Option<Deduplication>,
    /// Whether the embeddings of tokens stay as they were.
    pub frozen_embeddings: bool,
}
