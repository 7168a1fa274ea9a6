//! Texts under language models: back-ends that score them, on this machine or behind a server.
//!
//! Deliberately absent: attacks and judgement, and HTTP, which is `asking`'s.

mod hub;
mod model;
mod native;
mod settings;

pub use base::{Error, ErrorKind, Result};
pub use formats::texts::{Text, TextSettings};
pub use formats::tokens::{NextBatch, Scored, ScoredText, TokenFormat, write};
pub use model::{Asked, Model};
pub use settings::{Label, ModelSettings, ScoringSettings};
