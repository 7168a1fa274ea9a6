//! Reading answers: nothing in them is trusted until it was looked at.

use serde_json::Value;

use super::Scored;
use crate::http::printable::printable;
use crate::{Error, Result};

/// Rounding may lift a probability of 1 a little above it.
const ABOVE_ZERO: f64 = 1e-3;
/// vLLM writes minus infinity so, for JSON has no word for it.
const CLAMPED: f64 = -9999.0;
/// So many predictions of exactly 1 in a row are a server that does not compute them.
const ZEROS: usize = 4;

/// A log-probability that may be absent.
pub(super) fn logprob(value: &Value, token: usize) -> Result<Option<f32>> {
    if value.is_null() {
        return Ok(None);
    }
    let number = value.as_f64().filter(|number| number.is_finite());
    match number {
        // How small it is the server does not say, so there is no number to go on with.
        Some(number) if number <= CLAMPED => Ok(None),
        Some(number) if number <= ABOVE_ZERO => Ok(Some(number.min(0.0) as f32)),
        _ => Err(wrong(format!(
            "the log-probability of token {token} is {}; it must be a number that is not above 0",
            excerpt(value)
        ))),
    }
}

pub(super) fn token_id(value: &Value, token: usize) -> Result<u32> {
    let id = value.as_u64().and_then(|id| u32::try_from(id).ok());
    id.ok_or_else(|| wrong(format!("the id of token {token} is {}", excerpt(value))))
}

pub(super) fn list<'a>(value: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    value
        .as_array()
        .ok_or_else(|| wrong(format!("{name} is {}, not a list", excerpt(value))))
}

/// A value by its path, null if any part of it is missing.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> &'a Value {
    value.pointer(path).unwrap_or(&Value::Null)
}

pub(super) fn same_length(name: &str, found: usize, tokens: usize) -> Result<()> {
    match found == tokens {
        true => Ok(()),
        false => Err(wrong(format!(
            "{name} has {found} entries for {tokens} tokens"
        ))),
    }
}

/// The server must have scored the tokens that it was given.
pub(super) fn same_ids(asked: &[u32], answered: &[u32]) -> Result<()> {
    if asked.len() != answered.len() {
        return Err(retokenised(format!(
            "{} tokens were sent, {} came back",
            asked.len(),
            answered.len()
        )));
    }
    let mut pairs = asked.iter().zip(answered).enumerate();
    match pairs.find(|(_, (asked, answered))| asked != answered) {
        None => Ok(()),
        Some((token, (asked, answered))) => Err(retokenised(format!(
            "token {token} was sent as {asked} and came back as {answered}"
        ))),
    }
}

fn retokenised(how: String) -> Error {
    wrong(format!(
        "the server scored other tokens than it was given: {how}"
    ))
    .hint("use the tokenizer of the model that the server serves, or send texts")
}

/// The last look at every dialect's result.
pub(super) fn finish(scored: Scored) -> Result<Scored> {
    let Some((first, rest)) = scored.logprob.split_first() else {
        return Err(wrong("it scores no token at all".into()));
    };
    if first.is_some() {
        return Err(wrong(
            "its first token has a log-probability although nothing comes before it".into(),
        ));
    }
    if !rest.is_empty() && rest.iter().all(Option::is_none) {
        return Err(wrong("no token has a log-probability".into()));
    }
    if rest.len() >= ZEROS && rest.iter().all(|&logprob| logprob == Some(0.0)) {
        return Err(wrong("every log-probability is exactly 0".into())
            .hint("the server does not compute log-probabilities of prompts; use another"));
    }
    Ok(scored)
}

/// An answer that cannot be used.
pub(super) fn wrong(why: String) -> Error {
    Error::malformed(format!("the server's answer does not fit: {why}")).hint(
        "check the server's version and dialect; docs/guide-language-models-servers.md has each",
    )
}

/// Adds what the server says itself: some report errors as if all were well.
pub(super) fn explained(mut error: Error, answer: &Value) -> Error {
    let said = ["error", "detail", "message"]
        .iter()
        .find_map(|key| answer.get(key));
    if let Some(said) = said.filter(|said| !said.is_null()) {
        let said = printable(&said.to_string(), 200);
        error.message = format!("{}; it says {said}", error.message);
    }
    error
}

/// A value from outside, short and harmless.
pub(super) fn excerpt(value: &Value) -> String {
    printable(&value.to_string(), 40)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn log_probabilities_are_checked() {
        assert_eq!(logprob(&json!(-1.5), 1).unwrap(), Some(-1.5));
        assert_eq!(logprob(&json!(1e-6), 1).unwrap(), Some(0.0));
        assert_eq!(logprob(&json!(null), 1).unwrap(), None);
        assert_eq!(logprob(&json!(-9999.0), 1).unwrap(), None);
        for bad in [
            json!("-inf"),
            json!("NaN"),
            json!(0.7),
            json!([]),
            json!(true),
        ] {
            let refused = logprob(&bad, 3).unwrap_err();
            assert!(refused.to_string().contains("token 3"), "{refused}");
        }
    }

    #[test]
    fn answers_without_numbers_are_refused() {
        let of = |logprob: Vec<Option<f32>>| {
            finish(Scored {
                logprob,
                ..Scored::default()
            })
        };
        assert!(of(vec![]).is_err());
        assert!(of(vec![Some(-1.0), Some(-1.0)]).is_err());
        assert!(of(vec![None, None]).is_err());
        assert!(of(vec![None, Some(0.0), Some(0.0), Some(0.0), Some(0.0)]).is_err());
        assert!(of(vec![None]).is_ok());
        assert!(of(vec![None, None, Some(-1.0)]).is_ok());
    }

    #[test]
    fn other_tokens_than_asked_are_named() {
        let differ = same_ids(&[1, 2, 3], &[1, 9, 3]).unwrap_err().to_string();
        assert!(differ.contains("token 1 was sent as 2 and came back as 9"));
        assert!(same_ids(&[1, 2], &[1]).is_err());
    }
}
