//! What a server of language models refused, in words with a remedy. Its own words are quoted,
//! never trusted.

use crate::Error;
use crate::http::client;

/// A status that is not success.
pub(super) fn refused(url: &str, status: u16, body: &[u8]) -> Error {
    let error = client::refused(url, status, body);
    match known(body).or(usual(status)) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// What a known complaint means. It will not pass, whatever the status: servers are free with those.
pub(super) fn known(body: &[u8]) -> Option<&'static str> {
    let start = &body[..body.len().min(4096)];
    let body = String::from_utf8_lossy(start).to_lowercase();
    let known = COMPLAINTS
        .iter()
        .find(|(words, _)| words.iter().all(|word| body.contains(word)));
    known.map(|(_, hint)| *hint)
}

fn usual(status: u16) -> Option<&'static str> {
    Some(match status {
        300..=399 => "the server sends us elsewhere: give the url that it names",
        401 | 403 => "check the key: api_key = \"${NAME}\" with NAME set in the environment",
        404 | 405 => "check the url's path, the dialect and the model's name",
        413 => "the text is too long for this server",
        429 => "lower requests_per_minute or concurrency, or wait until the quota is renewed",
        400 | 422 => "check the dialect and the model's name",
        500.. => "look at the server's log; run again when it is well: what came is kept",
        _ => return None,
    })
}

const CONTEXT: &str = "cut texts to the model's context";
const COMPLAINTS: [(&[&str], &str); 10] = [
    (
        &["only no echo is supported"],
        "this is llama.cpp's server, which cannot score prompts: score the GGUF file itself, or \
         serve it with llama-cpp-python and --logits_all true",
    ),
    (
        &["logits_all"],
        "start llama-cpp-python's server with --logits_all true",
    ),
    (
        &["prefill", "logprobs"],
        "start the server with --enable-prefill-logprobs",
    ),
    (&["maximum context length"], CONTEXT),
    (&["exceed context window"], CONTEXT),
    (&["longer than the model's context"], CONTEXT),
    (&["`inputs` must have less than"], CONTEXT),
    (
        &["valid string", "prompt"],
        "this server takes texts only, no token ids",
    ),
    (
        &["chat/completions"],
        "this is a chat service; it cannot score prompts: serve the model with vLLM or SGLang",
    ),
    (&["max_logprobs"], "start vLLM with a higher --max-logprobs"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_come_with_a_remedy() {
        let hint = |status, body: &str| refused("http://h", status, body.as_bytes()).hint.unwrap();
        assert!(hint(500, "Only no echo is supported").contains("llama.cpp"));
        assert!(hint(401, "").contains("api_key"));
        assert!(hint(404, "<html>").contains("path"));
        let long = "This model's maximum context length is 1024 tokens";
        assert!(hint(400, long).contains("context"));
    }
}
