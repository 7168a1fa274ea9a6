//! Which ways of asking there are: one file per dialect, one line per dialect here.

use serde_json::Value;

use super::openai::OpenAi;
use super::sglang::Sglang;
use super::tgi::Tgi;
use super::vllm::Vllm;
use super::{Prompt, Scored};
use crate::{Error, ErrorKind, Result};

/// How one kind of server is asked for the log-probabilities of a given text.
pub(super) trait Dialect: Sync {
    fn name(&self) -> &'static str;

    /// Where the question goes, below the server's base.
    fn path(&self) -> &'static str;

    /// Where the server says which model it serves.
    fn models(&self) -> &'static str;

    /// Whether a prompt may be token ids.
    fn takes_ids(&self) -> bool;

    /// The question's JSON. Its bytes name the answer in the store: they must not depend on
    /// anything but what is asked.
    fn request(&self, prompt: &Prompt, model: Option<&str>) -> serde_json::Result<Vec<u8>>;

    /// Turns an answer into numbers, and refuses one that does not fit the question. The prompt is
    /// without the endpoint's prefix, of which a server may or may not speak.
    fn read(&self, prompt: &Prompt, answer: &Value) -> Result<Scored>;
}

/// In the order in which `auto` tries them: the more particular first, for many servers answer
/// OpenAI's requests as well, with less in them.
static DIALECTS: [&dyn Dialect; 4] = [&Vllm, &Sglang, &Tgi, &OpenAi];

/// The word that lets the probe choose.
pub(super) const AUTO: &str = "auto";

/// The names of all dialects.
pub fn dialects() -> Vec<&'static str> {
    DIALECTS.iter().map(|dialect| dialect.name()).collect()
}

/// Those to try for a name.
pub(super) fn candidates(name: &str) -> Result<Vec<&'static dyn Dialect>> {
    if name == AUTO {
        return Ok(DIALECTS.to_vec());
    }
    let found = DIALECTS.iter().find(|dialect| dialect.name() == name);
    found.map(|dialect| vec![*dialect]).ok_or_else(|| {
        Error::new(ErrorKind::Setting, format!("there is no dialect {name:?}"))
            .hint(format!("choose {AUTO} or one of {}", dialects().join(", ")))
    })
}
