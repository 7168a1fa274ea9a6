//! What designs of texts draw on, and what they make.

use std::cell::OnceCell;
use std::ops::Range;

use base::Progress;
use lm::Tokenizer;
use serde_json::{Map, Value};
use stats::streams::ChaCha8Rng;

use crate::Result;
use crate::lm::{Corpus, Counts, Pool};

/// The user's texts and tokenizer.
pub(crate) struct Source<'a> {
    pub corpus: &'a Corpus,
    /// Texts that are not trained on, to take from in place of those that are.
    pub texts: Option<&'a Corpus>,
    pub tokenizer: Option<&'a Tokenizer>,
    /// How many tokens are drawn for a canary.
    pub length: usize,
    pub progress: Progress<'a>,
    counts: OnceCell<Counts>,
    pool: OnceCell<Pool>,
}

/// A canary before it has a name.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub prompt: String,
    pub answer: String,
    /// Whether the answer goes on where the prompt ends; else a text has the answer alone.
    pub joined: bool,
    /// The drawn parts of the answer, in bytes.
    pub secret: Vec<Range<usize>>,
    /// The row that it is made from, with the answer in it.
    pub fields: Option<Map<String, Value>>,
    /// What that row says: it must not be trained on beside its canary.
    pub original: Option<String>,
}

/// Makes one canary after the other.
pub(crate) type Drafter<'a> = Box<dyn FnMut(&mut ChaCha8Rng) -> Result<Draft> + 'a>;

impl<'a> Source<'a> {
    pub fn new(
        corpus: &'a Corpus,
        texts: Option<&'a Corpus>,
        tokenizer: Option<&'a Tokenizer>,
        length: usize,
        progress: Progress<'a>,
    ) -> Self {
        Self {
            corpus,
            texts,
            tokenizer,
            length,
            progress,
            counts: OnceCell::new(),
            pool: OnceCell::new(),
        }
    }

    /// The texts that canaries are made from.
    pub fn own_texts(&self) -> &'a Corpus {
        self.texts.unwrap_or(self.corpus)
    }

    /// How often the training texts have each token or word; counted when first asked for.
    pub fn counts(&self) -> Result<&Counts> {
        if let Some(counts) = self.counts.get() {
            return Ok(counts);
        }
        let counts = Counts::new(self.corpus, self.tokenizer, self.progress)?;
        Ok(self.counts.get_or_init(|| counts))
    }

    /// The tokens that strings are drawn from.
    pub fn pool(&self, tokenizer: &Tokenizer) -> Result<&Pool> {
        if let Some(pool) = self.pool.get() {
            return Ok(pool);
        }
        let pool = Pool::new(tokenizer)?;
        Ok(self.pool.get_or_init(|| pool))
    }
}
