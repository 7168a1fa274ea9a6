//! The language-model room: decoder-only models that say how likely they find given texts.
//!
//! [`Model::open`] reads a folder in the layout of Hugging Face or a GGUF file, [`Model::score`]
//! answers, for every token but the first, with its log-probability, its rank, and the moments of
//! the model's own distribution. The CPU computes in f32; other devices run the same decoder
//! through candle.
//!
//! Deliberately absent: generation, caches, downloads, any knowledge of attacks or members.

mod about;
mod accelerator;
mod batches;
mod config;
mod cpu;
mod decoder;
mod engine;
mod error;
mod model;
mod scores;
mod source;
mod tokenizer;
mod weights;
mod windows;

pub use about::About;
pub use batches::batches;
pub use config::Architecture;
pub use error::{Error, ErrorKind, Result};
pub use model::Model;
pub use scores::{Scores, Wants};
pub use source::{DeviceChoice, Precision, Source};
pub use tokenizer::Tokenizer;
