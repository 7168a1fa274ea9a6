//! Canaries as the tokenizer cuts them.

use std::path::Path;

use lm::Tokenizer;
use rayon::prelude::*;
use serde_json::Value;

use super::settings::CheckSettings;
use crate::{Canary, Manifest, Result, Role};

pub(super) struct Look<'a> {
    pub canaries: &'a [Canary],
    pub tokenizer: Option<&'a Tokenizer>,
    pub settings: &'a CheckSettings,
    /// The most tokens of a text that training keeps.
    pub max_length: Option<usize>,
    /// One per canary; none without a tokenizer.
    pub cut: Vec<Cut>,
    /// Of a draw that is finished.
    pub manifest: Option<&'a Manifest>,
}

/// A canary in tokens.
pub(super) struct Cut {
    pub ids: Vec<u32>,
    /// Places of the tokens that the drawn parts became.
    pub secret: Vec<usize>,
}

/// Tokenizers without a limit name a number beyond all texts.
const NO_LIMIT: u64 = 1_000_000;

impl<'a> Look<'a> {
    pub fn new(
        canaries: &'a [Canary],
        tokenizer: Option<&'a Tokenizer>,
        settings: &'a CheckSettings,
    ) -> Result<Self> {
        let cut = match tokenizer {
            Some(tokenizer) => {
                let cut = |canary: &Canary| Cut::new(canary, tokenizer);
                canaries.par_iter().map(cut).collect::<Result<_>>()?
            }
            None => Vec::new(),
        };
        let own = || tokenizer.and_then(|tokenizer| own_limit(tokenizer.path()));
        Ok(Self {
            canaries,
            tokenizer,
            settings,
            max_length: settings.max_length.or_else(own),
            cut,
            manifest: None,
        })
    }

    pub fn is_cut(&self) -> bool {
        !self.cut.is_empty()
    }

    /// Records of a classifier are not cut.
    pub fn are_records(&self) -> bool {
        self.canaries.iter().all(|canary| canary.text.is_none())
    }

    /// Whether all is there that tells how training sees the canaries.
    pub fn tells(&self) -> bool {
        (self.is_cut() || self.are_records()) && !self.lacks_training()
    }

    /// Whether a draw is finished whose training file is not beside it.
    pub fn lacks_training(&self) -> bool {
        let place = self.manifest.map(|manifest| manifest.place(Role::Training));
        place.is_some_and(|place| place.is_ok_and(|place| !place.exists()))
    }

    /// The places of canaries that are so.
    pub fn which(&self, is_so: impl Fn(&Canary, &Cut) -> bool) -> Vec<usize> {
        let pairs = self.canaries.iter().zip(&self.cut).enumerate();
        let found = pairs.filter(|(_, (canary, cut))| is_so(canary, cut));
        found.map(|(place, _)| place).collect()
    }
}

impl Cut {
    fn new(canary: &Canary, tokenizer: &Tokenizer) -> Result<Self> {
        let text = canary.text.as_deref().unwrap_or_default();
        let tokens = tokenizer.encode_located(text)?;
        Ok(Self {
            secret: canary.drawn_tokens(&tokens),
            ids: tokens.iter().map(|token| token.id).collect(),
        })
    }
}

/// `model_max_length`, where the tokenizer's files name one that means something.
fn own_limit(tokenizer: &Path) -> Option<usize> {
    let settings = tokenizer.parent()?.join("tokenizer_config.json");
    let settings: Value = serde_json::from_slice(&std::fs::read(settings).ok()?).ok()?;
    let limit = settings["model_max_length"]
        .as_u64()
        .filter(|limit| *limit < NO_LIMIT)?;
    usize::try_from(limit).ok()
}
