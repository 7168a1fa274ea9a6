//! The retrieval room: a small question-answering service over a store of documents, to rehearse
//! membership audits on and to try defences with.
//!
//! An [`Index`] of documents is the store, [`Service`] answers questions from it, and
//! [`start`] serves it over HTTP. The service knows its store and nothing about audits.

mod batching;
mod chunks;
mod defences;
pub mod demo;
mod documents;
mod generate;
mod index;
pub mod misleading;
mod models;
mod retrieve;
mod server;
mod service;
mod serving;

pub use base::{Error, ErrorKind, Result};
pub use chunks::{Chunk, ChunkSettings};
pub use defences::Defences;
pub use documents::Document;
pub use generate::{
    Extractive, Generate, Generated, LanguageModel, Message, Native, OnText, Question, Role, Source,
};
pub use index::{Index, Postings};
pub use lm::{Embedder, open_embedder};
pub use models::{Device, open_language_model};
pub use retrieve::{Mode, RetrieveSettings};
pub use server::{Running, start};
pub use service::{Acted, Answer, Ask, MOST_CHUNKS, Service, ServiceSettings, Shown, Usage};
pub use serving::{ServeRequest, Serving};
