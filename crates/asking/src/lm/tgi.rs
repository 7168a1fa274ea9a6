//! Text Generation Inference: `/generate` with `decoder_input_details`.
//!
//! Texts only, and no word about the model's first choice: `top_n_tokens` covers generated tokens
//! alone. Since version 3 the list stays empty unless the launcher is told to fill it.

use serde::Serialize;
use serde_json::Value;

use super::dialect::Dialect;
use super::reading::{at, finish, list, logprob, token_id, wrong};
use super::{Prompt, Scored};
use crate::{Error, ErrorKind, Result};

pub(super) struct Tgi;

#[derive(Serialize)]
struct Request<'a> {
    inputs: &'a str,
    parameters: Parameters,
}

#[derive(Serialize)]
struct Parameters {
    max_new_tokens: u8,
    details: bool,
    decoder_input_details: bool,
}

impl Dialect for Tgi {
    fn name(&self) -> &'static str {
        "tgi"
    }

    fn path(&self) -> &'static str {
        "generate"
    }

    fn models(&self) -> &'static str {
        "info"
    }

    fn takes_ids(&self) -> bool {
        false
    }

    fn request(&self, prompt: &Prompt, _model: Option<&str>) -> serde_json::Result<Vec<u8>> {
        let inputs = match prompt {
            Prompt::Text(text) => text,
            // Refused before it comes to this: see `takes_ids`.
            Prompt::Ids(_) => "",
        };
        serde_json::to_vec(&Request {
            inputs,
            parameters: Parameters {
                max_new_tokens: 1,
                details: true,
                decoder_input_details: true,
            },
        })
    }

    fn read(&self, _prompt: &Prompt, answer: &Value) -> Result<Scored> {
        let answer = answer.get(0).unwrap_or(answer);
        let details = at(answer, "/details");
        let prefill = match at(details, "/prefill") {
            Value::Null => {
                return Err(wrong("there is no details.prefill in it".into())
                    .hint("this is not Text Generation Inference; choose another dialect"));
            }
            prefill => list(prefill, "details.prefill")?,
        };
        if prefill.is_empty() {
            return Err(switched_off());
        }
        let mut scored = Scored::default();
        let mut ids = Vec::with_capacity(prefill.len());
        for (token, entry) in prefill.iter().enumerate() {
            scored.logprob.push(logprob(at(entry, "/logprob"), token)?);
            ids.push(token_id(at(entry, "/id"), token)?);
        }
        scored.token_ids = Some(ids);
        finish(scored)
    }
}

fn switched_off() -> Error {
    Error::new(
        ErrorKind::Unsupported,
        "the server returns no log-probabilities of prompts: details.prefill is empty",
    )
    .hint("start it with --enable-prefill-logprobs")
}
