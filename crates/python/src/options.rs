//! What Python's keyword arguments ask for, as one JSON document.

use std::path::PathBuf;

use guestlist::pipeline::{AuditOptions, Source, misspelt};
use guestlist::{Error, Kind};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::errors::{Outcome, Raised};

/// What every audit is asked.
pub struct Options<Own> {
    pub options: AuditOptions,
    pub seed: u64,
    /// The call that gives this report again.
    pub command: String,
    /// What one kind of audit is asked beside.
    pub own: Own,
}

#[derive(Deserialize)]
pub struct ShadowOptions {
    pub target: usize,
    pub shadows: Option<usize>,
    pub format: Option<String>,
    pub records: Option<PathBuf>,
    pub canaries: Option<PathBuf>,
    pub groups: Option<Vec<Option<String>>>,
}

#[derive(Deserialize)]
pub struct TokenOptions {
    pub label: String,
    pub training_file: Option<PathBuf>,
    pub shadow: Option<PathBuf>,
    pub canaries: Option<PathBuf>,
    pub checkpoints: Vec<(String, PathBuf)>,
    pub groups: Option<Vec<Option<String>>>,
}

#[derive(Deserialize)]
pub struct ScoresOptions {
    pub canaries: Option<PathBuf>,
    pub groups: Option<Vec<Option<String>>>,
}

#[derive(Deserialize)]
pub struct NoOptions {}

pub fn read<Own: DeserializeOwned>(text: &str) -> Outcome<Options<Own>> {
    let mut asked: Asked = serde_json::from_str(text).map_err(|error| refused("", &error))?;
    let mut options: AuditOptions = part(asked.options)?;
    options.source = Source::Program;
    let seed = asked.own.remove("seed").unwrap_or_default();
    Ok(Options {
        options,
        seed: part(seed).map_err(|_| not_a_seed())?,
        command: asked.command,
        own: part(Value::Object(asked.own))?,
    })
}

/// A kind by its name.
pub fn kind(name: &str) -> Outcome<Kind> {
    let found = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| {
        let kinds = Kind::ALL.map(Kind::name).join(", ");
        Raised::from(Error::usage(
            format!("there is no kind {name}"),
            format!("kinds are {kinds}"),
        ))
    })
}

/// A document that is a request of the library as it stands, but for who asks.
pub fn request<Request: DeserializeOwned>(text: &str) -> Outcome<Request> {
    part(serde_json::from_str(text).map_err(|error| refused("", &error))?)
}

/// The document as it comes; its parts are read one by one, so that a refusal can name the argument.
#[derive(Deserialize)]
struct Asked {
    options: Value,
    command: String,
    #[serde(flatten)]
    own: Map<String, Value>,
}

fn part<Part: DeserializeOwned>(value: Value) -> Outcome<Part> {
    let read = serde_path_to_error::deserialize(value);
    read.map_err(|error| refused(&error.path().to_string(), error.inner()))
}

fn refused(path: &str, error: &serde_json::Error) -> Raised {
    let name = match path {
        "" | "." => "an argument",
        path => path,
    };
    let refusal = error.to_string();
    let help = "see help() of the function for what each argument may be";
    Raised::from(match misspelt::meant(&refusal) {
        Some(meant) => Error::usage(format!("{name}: {refusal}"), format!("{meant} {help}")),
        None => Error::usage(
            format!("{name} has the wrong type or size: {refusal}"),
            help,
        ),
    })
}

fn not_a_seed() -> Raised {
    Raised::from(Error::usage(
        "seed is no whole number from 0 to 2^64 - 1",
        "give another seed",
    ))
}
