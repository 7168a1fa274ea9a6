//! The audit of a language model: from a configuration to token signals, and from there to a
//! verdict.

pub mod audit;
mod config;
mod same_tokens;
mod scoring;

pub use config::{Checked, LanguageConfig};
pub use scoring::{Outlook, Scoring, TIMED, TRIED};
pub mod init;
