//! Sentence embeddings by a BERT: the mean of all tokens' last states, or the first token's, as the
//! model was trained for (Reimers and Gurevych 2019, section 3). Texts are cut at as many tokens as the model was trained on.

mod config;
mod encoder;
mod pass;

use std::path::Path;

use rayon::prelude::*;

use super::{Embedder, last_part, mean, to_unit_length};
use crate::cpu::cut;
use crate::tokenizer::Tokenizer;
use crate::{Error, Result};
use config::{Config, Pooling};
use encoder::Encoder;

pub(super) struct Bert {
    name: String,
    tokenizer: Tokenizer,
    encoder: Encoder,
}

impl Bert {
    pub(super) fn open(folder: &Path) -> Result<Self> {
        let config = Config::read(folder)?;
        let tokenizer = Tokenizer::open(folder)?;
        if tokenizer.vocabulary_size() > config.vocabulary {
            return Err(Error::mismatch(format!(
                "the tokenizer has {} tokens but the model knows only {}",
                tokenizer.vocabulary_size(),
                config.vocabulary
            ))
            .within_file(tokenizer.path())
            .hint("use the tokenizer.json that was published with the model"));
        }
        Ok(Self {
            name: last_part(folder),
            tokenizer,
            encoder: Encoder::read(config, folder)?,
        })
    }

    /// A text that is too long loses its end, but not the token that ends every text.
    fn tokens(&self, text: &str) -> Result<Vec<u32>> {
        let mut tokens = self.tokenizer.encode(text)?;
        let longest = self.encoder.config.longest;
        if tokens.len() > longest
            && let Some(end) = tokens.pop()
        {
            tokens.truncate(longest - 1);
            tokens.push(end);
        }
        Ok(tokens)
    }
}

impl Embedder for Bert {
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let tokens = texts.par_iter().map(|text| self.tokens(text));
        let texts: Vec<Vec<u32>> = tokens.collect::<Result<_>>()?;
        let chunks = cut(texts.iter().map(Vec::len));
        let alone = chunks.len() >= rayon::current_num_threads();
        let vectors: Vec<Vec<Vec<f32>>> = chunks
            .into_par_iter()
            .map(|chunk| self.vectors(&texts[chunk], alone))
            .collect();
        Ok(vectors.into_iter().flatten().collect())
    }

    fn dimension(&self) -> usize {
        self.encoder.config.width
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

impl Bert {
    fn vectors(&self, texts: &[Vec<u32>], alone: bool) -> Vec<Vec<f32>> {
        let width = self.encoder.config.width;
        let state = pass::states(&self.encoder, texts, alone);
        let mut rows = state.chunks_exact(width);
        texts
            .iter()
            .map(|text| {
                let mut rows = rows.by_ref().take(text.len());
                let mut vector = match self.encoder.config.pooling {
                    Pooling::Mean => mean(rows, width),
                    Pooling::First => {
                        let first = mean(rows.by_ref().take(1), width);
                        rows.for_each(drop);
                        first
                    }
                };
                to_unit_length(&mut vector);
                vector
            })
            .collect()
    }
}
