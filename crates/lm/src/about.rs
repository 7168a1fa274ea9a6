//! What a model says about itself.

use std::path::PathBuf;

use crate::config::{Architecture, Config};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    pub architecture: Architecture,
    pub layers: usize,
    pub width: usize,
    pub heads: usize,
    pub kv_heads: usize,
    /// Rows of the embedding; a tokenizer may use fewer.
    pub vocabulary: usize,
    /// The most tokens scored in one window.
    pub context: usize,
    pub parameters: usize,
    /// How the files store most weights: `f32`, `bf16`, `q4_1`, ….
    pub stored_type: String,
    /// Every file that scores depend on.
    pub files: Vec<PathBuf>,
}

impl About {
    pub(crate) fn new(
        config: &Config,
        parameters: usize,
        stored_type: String,
        files: Vec<PathBuf>,
    ) -> Self {
        Self {
            architecture: config.architecture,
            layers: config.layers,
            width: config.width,
            heads: config.heads,
            kv_heads: config.kv_heads,
            vocabulary: config.vocabulary,
            context: config.context,
            parameters,
            stored_type,
            files,
        }
    }
}
