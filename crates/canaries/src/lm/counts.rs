//! How often the user's own texts have each token, or each word where there is no tokenizer.

use std::collections::HashMap;

use base::{Progress, Unit};
use lm::Tokenizer;
use rayon::prelude::*;

use super::Corpus;
use crate::Result;

/// Texts that are counted at once.
const BATCH: usize = 2048;

#[derive(Default)]
pub(crate) struct Counts {
    /// By the token's id; empty where words were counted.
    tokens: Vec<u64>,
    /// Words as they are written.
    pub words: HashMap<String, u64>,
}

impl Counts {
    pub fn new(corpus: &Corpus, by: Option<&Tokenizer>, progress: Progress<'_>) -> Result<Self> {
        progress.phase(
            "counting the training texts' tokens",
            corpus.rows,
            Unit::Records,
        );
        let mut counts = Self::default();
        let mut batch = Vec::with_capacity(BATCH);
        for row in corpus.read()? {
            batch.push(row?.whole());
            if batch.len() == BATCH {
                counts.add(&batch, by, progress)?;
                batch.clear();
            }
        }
        counts.add(&batch, by, progress)?;
        Ok(counts)
    }

    fn add(
        &mut self,
        texts: &[String],
        by: Option<&Tokenizer>,
        progress: Progress<'_>,
    ) -> Result<()> {
        progress.check()?;
        match by {
            None => texts.iter().for_each(|text| self.add_words(text)),
            Some(tokenizer) => {
                let encode = |text: &String| tokenizer.encode(text);
                let encoded: Result<Vec<Vec<u32>>> = texts.par_iter().map(encode).collect();
                self.tokens.resize(tokenizer.vocabulary_size(), 0);
                for id in encoded?.into_iter().flatten() {
                    self.tokens[id as usize] += 1;
                }
            }
        }
        progress.advance(texts.len());
        Ok(())
    }

    fn add_words(&mut self, text: &str) {
        for word in text::words(text) {
            let written = &text[word.range];
            if written.chars().all(char::is_alphabetic) {
                *self.words.entry(written.to_owned()).or_default() += 1;
            }
        }
    }

    pub fn token(&self, id: u32) -> u64 {
        self.tokens.get(id as usize).copied().unwrap_or(0)
    }
}
