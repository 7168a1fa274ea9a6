//! OpenAI's old completions with `echo`: `/v1/completions` as vLLM, llama-cpp-python, hosts of open
//! models and others answer it. OpenAI itself no longer does.
//!
//! One token is generated, for some servers take 0 to mean "as many as fit"; it is dropped. Two
//! choices per position are asked for: keys are texts, which two tokens may share, and with two it
//! still shows whether the token was the first.

use serde::Serialize;
use serde_json::Value;

use super::dialect::Dialect;
use super::echo::Echo;
use super::reading::{finish, same_ids, same_length};
use super::{Prompt, Scored};
use crate::Result;

pub(super) struct OpenAi;

#[derive(Serialize)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    prompt: &'a Prompt,
    max_tokens: u8,
    temperature: u8,
    logprobs: u8,
    echo: bool,
}

impl Dialect for OpenAi {
    fn name(&self) -> &'static str {
        "openai"
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
            logprobs: 2,
            echo: true,
        })
    }

    fn read(&self, prompt: &Prompt, answer: &Value) -> Result<Scored> {
        let echo = Echo::new(answer)?;
        let tokens = echo.prompt_tokens(prompt)?;
        if let Prompt::Ids(asked) = prompt {
            same_length("logprobs.tokens", tokens, asked.len())?;
        }
        let ids = echo.ids(tokens);
        if let (Prompt::Ids(asked), Some(told)) = (prompt, &ids) {
            same_ids(asked, told)?;
        }
        echo.aligned(tokens)?;
        let mut logprob = echo.logprobs(tokens)?;
        let rank = echo.ranks(&logprob);
        let max_logprob = echo.first_choices(&logprob);
        // Nothing comes before the first token; a few servers write a number all the same.
        if let Some(first) = logprob.first_mut() {
            *first = None;
        }
        let asked = match prompt {
            Prompt::Ids(asked) => Some(asked.clone()),
            Prompt::Text(_) => None,
        };
        let token_ids = ids.or(asked);
        finish(Scored {
            pieces: token_ids.is_none().then(|| echo.pieces(tokens)),
            token_ids,
            logprob,
            rank_cap: rank.is_some().then_some(2),
            rank,
            max_logprob,
            ..Scored::default()
        })
    }
}
