//! The language-model room: decoder-only models that say how likely they find given texts and
//! continue them, and models that turn texts into vectors.
//!
//! [`Model::open`] reads a folder in the layout of Hugging Face or a GGUF file, [`Model::score`]
//! answers, for every token but the first, with its log-probability, its rank, and the moments of
//! the model's own distribution. [`Generator`] continues a prompt, which [`Model::chat`] makes of a
//! conversation. [`open_embedder`] opens what turns texts into vectors. The CPU computes in f32; other devices run the same decoder through candle.
//!
//! Deliberately absent: downloads, any knowledge of attacks or members.

mod about;
// Tests run it on the CPU, where it must agree with ours.
#[cfg(any(feature = "cuda", test))]
mod accelerator;
#[cfg(not(any(feature = "cuda", test)))]
#[path = "no_accelerator.rs"]
mod accelerator;
mod batches;
mod chat;
mod config;
mod cpu;
mod decoder;
mod embedding;
mod engine;
mod generation;
mod gguf;
mod model;
mod scores;
mod source;
mod tokenizer;
mod weights;
mod windows;

pub use about::About;
pub use base::{Error, ErrorKind, Result};
pub use batches::batches;
pub use chat::{ChatMessage, ChatTemplate};
pub use config::Architecture;
pub use embedding::{Embedder, open_embedder};
pub use generation::{Finish, Generated, Generator, Sampling, Wanted};
pub use model::Model;
pub use scores::{Scores, Wants};
pub use source::{DeviceChoice, Precision, Source};
pub use tokenizer::{Detokeniser, LocatedToken, Tokenizer};
