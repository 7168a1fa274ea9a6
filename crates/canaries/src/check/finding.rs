//! What a check finds, and the traps that it looks for.

use lm::Tokenizer;
use serde::{Deserialize, Serialize};

use super::look::Look;
use super::settings::CheckSettings;
use crate::Result;

pub(super) const SCHEMA: &str = "guestlist.canaries.check/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    /// Canaries are seen, but not as they were drawn.
    Warn,
    /// Canaries are invisible.
    Violated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Every canary survives what was said of training.
    Visible,
    /// Some canaries do not.
    Invisible,
    /// Without a tokenizer, or without the training file, nobody can tell.
    Unknown,
}

/// A way in which training makes canaries invisible.
pub struct Trap {
    pub id: &'static str,
    pub summary: &'static str,
    pub remedy: &'static str,
    /// Nothing where it cannot be told, or the settings leave no room for it.
    pub(super) look: fn(&Look<'_>) -> Result<Option<Found>>,
}

pub(super) struct Found {
    pub status: Status,
    /// The canaries that it strikes, by their place.
    pub struck: Vec<usize>,
    pub detail: String,
}

impl Found {
    /// All is well, in these words.
    pub fn ok(detail: impl Into<String>) -> Option<Self> {
        Some(Self {
            status: Status::Ok,
            struck: Vec::new(),
            detail: detail.into(),
        })
    }

    pub fn warn(struck: Vec<usize>, detail: impl Into<String>) -> Option<Self> {
        Some(Self {
            status: Status::Warn,
            struck,
            detail: detail.into(),
        })
    }

    pub fn violated(struck: Vec<usize>, detail: impl Into<String>) -> Option<Self> {
        Some(Self {
            status: Status::Violated,
            struck,
            detail: detail.into(),
        })
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub trap: &'static str,
    pub status: Status,
    /// How many canaries it strikes.
    pub canaries: usize,
    pub detail: String,
    pub remedy: Option<&'static str>,
}

/// Which tokenizer was looked with.
#[derive(Clone, Debug, Serialize)]
pub struct TokenizerNote {
    pub name: String,
    /// See [`Tokenizer::fingerprint`].
    pub fingerprint: String,
}

impl TokenizerNote {
    pub(super) fn new(tokenizer: &Tokenizer) -> Self {
        let path = tokenizer.path();
        let folder = path.parent().and_then(|folder| folder.file_name());
        let name = match path.file_name() {
            Some(name) if name != "tokenizer.json" => Some(name),
            name => folder.or(name),
        };
        Self {
            name: name.unwrap_or_default().to_string_lossy().into_owned(),
            fingerprint: tokenizer.fingerprint().to_owned(),
        }
    }
}

/// What was looked for, and what was found.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub schema: &'static str,
    pub outcome: Outcome,
    pub canaries: usize,
    /// How many are struck by a trap that makes them invisible.
    pub invisible: usize,
    pub tokenizer: Option<TokenizerNote>,
    pub settings: CheckSettings,
    pub findings: Vec<Finding>,
    /// Traps that the settings leave no room for, or that need a tokenizer.
    pub not_checked: Vec<&'static str>,
}
