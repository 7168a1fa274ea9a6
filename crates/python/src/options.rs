//! What Python's keyword arguments ask for, as one JSON document.

use std::path::PathBuf;

use guestlist::Error;
use guestlist::audit::{Source, Wishes};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::errors::Outcome;

/// What every audit is asked.
#[derive(Deserialize)]
pub struct Options<Own> {
    pub wishes: Wishes,
    pub seed: u64,
    /// The call that gives this report again.
    pub command: String,
    /// What one kind of audit is asked beside.
    #[serde(flatten)]
    pub own: Own,
}

#[derive(Deserialize)]
pub struct ShadowOptions {
    pub target: usize,
    pub shadows: Option<usize>,
    pub format: Option<String>,
    pub records: Option<PathBuf>,
}

#[derive(Deserialize)]
pub struct TokenOptions {
    pub label: String,
    pub training_file: Option<PathBuf>,
    pub checkpoints: Vec<(String, PathBuf)>,
}

#[derive(Deserialize)]
pub struct NoOptions {}

pub fn read<Own: DeserializeOwned>(text: &str) -> Outcome<Options<Own>> {
    let mut options: Options<Own> = serde_json::from_str(text).map_err(|error| {
        Error::usage(
            format!("an argument has the wrong type or size: {error}"),
            "see help() of the function for what each argument may be",
        )
    })?;
    options.wishes.source = Source::Program;
    Ok(options)
}
