//! What every draw asks and answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::check::Check;
use crate::{Error, Manifest, Result};

/// What is asked of every draw.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DrawOptions {
    /// How many canaries, chosen or not.
    pub count: usize,
    /// By name; the usual one where there is none.
    pub designs: Vec<String>,
    /// How often a canary is in the training data if it is chosen; canaries share the tiers equally.
    pub tiers: Vec<u32>,
    /// Where the folder goes.
    pub out: PathBuf,
    /// From the operating system's randomness where there is none.
    pub seed: Option<u64>,
    /// Whether an earlier draw may be replaced.
    pub overwrite: bool,
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self {
            count: 1000,
            designs: Vec::new(),
            tiers: vec![1],
            out: "canaries".into(),
            seed: None,
            overwrite: false,
        }
    }
}

/// More copies of one canary than this drown what they are mixed into.
const MOST_REPETITIONS: u32 = 10_000;
const MOST_CANARIES: usize = 1_000_000;

impl DrawOptions {
    pub(crate) fn check(&self) -> Result<()> {
        if !(1..=MOST_CANARIES).contains(&self.count) {
            let message = format!("count is {}", self.count);
            let hint = format!("draw from 1 to {MOST_CANARIES}; 1000 is usual");
            return Err(Error::usage(message, hint));
        }
        let wrong = self
            .tiers
            .iter()
            .find(|tier| !(1..=MOST_REPETITIONS).contains(*tier));
        if let Some(tier) = wrong {
            let message = format!("a tier of {tier} repetitions");
            return Err(Error::usage(
                message,
                format!("give 1 to {MOST_REPETITIONS}, such as 1,4,16"),
            ));
        }
        let mut sorted = self.tiers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        match (sorted.is_empty(), sorted.len() == self.tiers.len()) {
            (true, _) => Err(Error::usage(
                "there are no tiers",
                "give some, such as 1,4,16",
            )),
            (_, false) => Err(Error::usage("a tier is given twice", "give each tier once")),
            _ => Ok(()),
        }
    }
}

/// What was drawn.
#[derive(Debug, Serialize)]
pub struct Drawn {
    pub manifest: Manifest,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// What a user should know.
    pub notes: Vec<String>,
    /// What was checked on the user's tokenizer, where there is one.
    pub check: Option<Check>,
}

/// What a seed of the user's own means.
pub(crate) fn seed_note(seed: Option<u64>) -> Option<String> {
    seed.map(|_| {
        "the seed was given: whoever knows it knows which canaries were chosen, and the audit proves \
         nothing to them"
            .to_owned()
    })
}
