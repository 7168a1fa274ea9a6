//! SGLang: its own `/generate`. (Its OpenAI routes cannot give log-probabilities of prompts.)
//!
//! `logprob_start_len: 0` asks for the prompt's; one choice per position tells whether the token
//! was the model's first. `return_text_in_logprobs` stays off: it has been seen to spoil the lists.

use serde::Serialize;
use serde_json::Value;

use super::dialect::Dialect;
use super::reading::{at, excerpt, finish, list, logprob, same_ids, same_length, token_id, wrong};
use super::{Prompt, Scored};
use crate::Result;

pub(super) struct Sglang;

#[derive(Serialize)]
struct Request<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_ids: Option<&'a [u32]>,
    sampling_params: Sampling,
    return_logprob: bool,
    logprob_start_len: u8,
    top_logprobs_num: u8,
}

#[derive(Serialize)]
struct Sampling {
    temperature: u8,
    max_new_tokens: u8,
}

impl Dialect for Sglang {
    fn name(&self) -> &'static str {
        "sglang"
    }

    fn path(&self) -> &'static str {
        "generate"
    }

    fn models(&self) -> &'static str {
        "get_model_info"
    }

    fn takes_ids(&self) -> bool {
        true
    }

    fn request(&self, prompt: &Prompt, _model: Option<&str>) -> serde_json::Result<Vec<u8>> {
        let (text, input_ids) = match prompt {
            Prompt::Text(text) => (Some(text.as_str()), None),
            Prompt::Ids(ids) => (None, Some(ids.as_slice())),
        };
        serde_json::to_vec(&Request {
            text,
            input_ids,
            sampling_params: Sampling {
                temperature: 0,
                max_new_tokens: 0,
            },
            return_logprob: true,
            logprob_start_len: 0,
            top_logprobs_num: 1,
        })
    }

    fn read(&self, prompt: &Prompt, answer: &Value) -> Result<Scored> {
        // A batch of one comes back as a list of one.
        let answer = answer.get(0).unwrap_or(answer);
        let entries = match at(answer, "/meta_info/input_token_logprobs") {
            Value::Null => {
                return Err(wrong("there are no input_token_logprobs in it".into())
                    .hint("this is not SGLang; choose another dialect"));
            }
            entries => list(entries, "input_token_logprobs")?,
        };
        let mut scored = Scored::default();
        let mut ids = Vec::with_capacity(entries.len());
        for (token, entry) in entries.iter().enumerate() {
            scored.logprob.push(logprob(at(entry, "/0"), token)?);
            ids.push(token_id(at(entry, "/1"), token)?);
        }
        match prompt {
            Prompt::Ids(asked) => same_ids(asked, &ids)?,
            Prompt::Text(_) => whole(at(answer, "/meta_info/prompt_tokens"), ids.len())?,
        }
        if let Some((rank, best)) = first_choices(answer, &scored.logprob, &ids)? {
            (scored.rank, scored.rank_cap) = (Some(rank), Some(2));
            scored.max_logprob = Some(best);
        }
        scored.token_ids = Some(ids);
        finish(scored)
    }
}

/// The server says itself how long the prompt was.
fn whole(prompt_tokens: &Value, tokens: usize) -> Result<()> {
    match prompt_tokens.as_u64() {
        Some(expected) => same_length("input_token_logprobs", tokens, expected as usize),
        None => Ok(()),
    }
}

type FirstChoices = (Vec<Option<u32>>, Vec<Option<f32>>);

/// 1 where the token was the first choice, 2 for "or worse"; and the first choice's log-probability.
fn first_choices(answer: &Value, own: &[Option<f32>], ids: &[u32]) -> Result<Option<FirstChoices>> {
    let tops = match at(answer, "/meta_info/input_top_logprobs") {
        Value::Null => return Ok(None),
        tops => list(tops, "input_top_logprobs")?,
    };
    same_length("input_top_logprobs", tops.len(), ids.len())?;
    let choices = tops.iter().enumerate().map(|(token, top)| {
        let (Some(own), Value::Array(top)) = (own[token], top) else {
            return Ok((None, None));
        };
        let Some(first) = top.first() else {
            return Ok((None, None));
        };
        let id = token_id(at(first, "/1"), token)?;
        let Some(best) = logprob(at(first, "/0"), token)? else {
            return Err(wrong(format!(
                "token {token}'s first choice is {}",
                excerpt(first)
            )));
        };
        let rank = if id == ids[token] || own >= best {
            1
        } else {
            2
        };
        Ok((Some(rank), Some(own.max(best))))
    });
    let (ranks, best): FirstChoices = choices.collect::<Result<_>>()?;
    Ok(ranks.iter().any(Option::is_some).then_some((ranks, best)))
}
