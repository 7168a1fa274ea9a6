//! Language models behind a server: asked over HTTP for the log-probabilities of given texts.
//!
//! Before anything is scored a [probe](Server::connect) finds out what the server gives. Answers go
//! to the [`Store`](crate::store::Store) before they are used, and what is there already is not
//! asked again. Nothing that a server sends is trusted: lengths, ids and numbers are checked, and
//! its words are made printable.
//!
//! A new kind of server is one file that implements `Dialect`, and its line in `dialect.rs`.

mod again;
mod complaints;
mod dialect;
mod echo;
mod exchange;
mod openai;
mod probe;
mod reading;
mod score;
mod server;
mod sglang;
mod tgi;
mod vllm;

use std::time::Duration;

use serde::Serialize;

pub use dialect::dialects;
pub use probe::Gives;
pub use server::Server;

pub use crate::http::Secret;
use formats::tokens::Scored;

/// Where a server is, how to speak with it, and how hard it may be pressed.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// With or without `/v1`.
    pub url: String,
    /// One of [`dialects`], or `auto`.
    pub dialect: String,
    /// The only one that the server has, if absent.
    pub model: Option<String>,
    /// Sent as `Authorization: Bearer`.
    pub key: Option<Secret>,
    pub headers: Vec<(String, Secret)>,
    /// Put in front of every text, for servers that need a beginning-of-text token there.
    pub prefix: Option<String>,
    /// Requests at once.
    pub concurrency: usize,
    pub per_minute: Option<u32>,
    /// For one request, answer included.
    pub timeout: Duration,
    /// How often a request that failed is tried again.
    pub retries: usize,
    /// So many requests for scores over the life of an audit's folder, and no more; the few that
    /// find out what the server gives, and whether it has changed, come on top.
    pub max_requests: Option<u64>,
}

impl Endpoint {
    /// With what most servers bear.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            dialect: dialect::AUTO.into(),
            model: None,
            key: None,
            headers: Vec::new(),
            prefix: None,
            concurrency: 4,
            per_minute: None,
            timeout: Duration::from_secs(120),
            retries: 5,
            max_requests: None,
        }
    }
}

/// A text to score. Token ids leave no doubt about the tokenizer, where a dialect takes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Prompt {
    Text(String),
    Ids(Vec<u32>),
}
