//! vLLM: `/v1/completions` with `prompt_logprobs`.
//!
//! `prompt_logprobs: 0` brings the token itself and its rank in the vocabulary, nothing else: the
//! smallest answer with all that the attacks ask for. `max_tokens` must be at least 1; what is
//! generated stands elsewhere in the answer and is not looked at.

use serde::Serialize;
use serde_json::{Map, Value};

use super::dialect::Dialect;
use super::reading::{at, excerpt, finish, list, logprob, same_ids, same_length, token_id, wrong};
use super::{Prompt, Scored};
use crate::{Error, Result};

pub(super) struct Vllm;

#[derive(Serialize)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    prompt: &'a Prompt,
    max_tokens: u8,
    temperature: u8,
    prompt_logprobs: u8,
    return_token_ids: bool,
}

impl Dialect for Vllm {
    fn name(&self) -> &'static str {
        "vllm"
    }

    fn path(&self) -> &'static str {
        "v1/completions"
    }

    fn models(&self) -> &'static str {
        "v1/models"
    }

    fn takes_ids(&self) -> bool {
        true
    }

    fn request(&self, prompt: &Prompt, model: Option<&str>) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Request {
            model,
            prompt,
            max_tokens: 1,
            temperature: 0,
            prompt_logprobs: 0,
            return_token_ids: true,
        })
    }

    fn read(&self, prompt: &Prompt, answer: &Value) -> Result<Scored> {
        let choice = at(answer, "/choices/0");
        let entries = match at(choice, "/prompt_logprobs") {
            Value::Null => return Err(no_prompt_logprobs()),
            entries => list(entries, "prompt_logprobs")?,
        };
        let ids = ids(prompt, choice, entries.len())?;
        let mut scored = Scored::default();
        let mut ranks = Vec::with_capacity(entries.len());
        for (token, entry) in entries.iter().enumerate() {
            let Some(found) = own(entry, ids.as_deref(), token)? else {
                scored.logprob.push(None);
                ranks.push(None);
                continue;
            };
            scored.logprob.push(logprob(at(found, "/logprob"), token)?);
            ranks.push(rank(at(found, "/rank"), token)?);
        }
        scored.token_ids = ids;
        scored.rank = ranks.iter().any(Option::is_some).then_some(ranks);
        finish(scored)
    }
}

/// The prompt's ids, from the server where it tells them.
fn ids(prompt: &Prompt, choice: &Value, tokens: usize) -> Result<Option<Vec<u32>>> {
    let told = match at(choice, "/prompt_token_ids") {
        Value::Null => None,
        told => {
            let told = list(told, "prompt_token_ids")?.iter().enumerate();
            Some(
                told.map(|(token, id)| token_id(id, token))
                    .collect::<Result<Vec<u32>>>()?,
            )
        }
    };
    if let (Prompt::Ids(asked), Some(told)) = (prompt, &told) {
        same_ids(asked, told)?;
    }
    let ids = match (told, prompt) {
        (Some(told), _) => Some(told),
        (None, Prompt::Ids(asked)) => Some(asked.clone()),
        (None, Prompt::Text(_)) => None,
    };
    if let Some(ids) = &ids {
        same_length("prompt_logprobs", tokens, ids.len())?;
    }
    Ok(ids)
}

/// The entry of the token itself. Others may stand beside it.
fn own<'a>(entry: &'a Value, ids: Option<&[u32]>, token: usize) -> Result<Option<&'a Value>> {
    let entry = match entry {
        Value::Null => return Ok(None),
        Value::Object(entry) => entry,
        other => return Err(wrong(format!("prompt_logprobs has {}", excerpt(other)))),
    };
    let found = match ids {
        Some(ids) => entry.get(&ids[token].to_string()),
        None => only(entry),
    };
    found.map(Some).ok_or_else(|| {
        wrong(format!(
            "prompt_logprobs does not tell which of {} entries is token {token}",
            entry.len()
        ))
        .hint("update vLLM: this one does not return token ids")
    })
}

fn only(entry: &Map<String, Value>) -> Option<&Value> {
    let mut entries = entry.values();
    let first = entries.next();
    first.filter(|_| entries.next().is_none())
}

fn rank(value: &Value, token: usize) -> Result<Option<u32>> {
    match value {
        Value::Null => Ok(None),
        value => match token_id(value, token) {
            Ok(rank) if rank >= 1 => Ok(Some(rank)),
            _ => Err(wrong(format!(
                "the rank of token {token} is {}",
                excerpt(value)
            ))),
        },
    }
}

fn no_prompt_logprobs() -> Error {
    wrong("there are no prompt_logprobs in it".into()).hint(
        "this is not vLLM, or one that leaves them out: choose another dialect, or update vLLM",
    )
}
