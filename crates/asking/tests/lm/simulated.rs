//! Answers for any text, in the shape of each dialect: words are tokens, numbers come from their
//! letters.

use serde_json::{Value, json};

use crate::fake::{Reply, Request};

fn words(text: &str) -> Vec<String> {
    let words = text.split_inclusive(' ');
    words.map(str::to_owned).collect()
}

pub fn id(word: &str) -> u32 {
    let hash = word.bytes().fold(7_u32, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(u32::from(byte))
    });
    hash % 50_000
}

pub fn logprob(word: &str) -> f64 {
    -f64::from(id(word) % 997) / 100.0 - 0.01
}

pub fn vllm(request: &Request) -> Reply {
    if request.method == "GET" {
        return models(request, "tiny");
    }
    let Some(text) = request
        .prompt()
        .filter(|_| request.path == "/v1/completions")
    else {
        return Reply::not_found();
    };
    let words = words(text);
    let ids: Vec<u32> = words.iter().map(|word| id(word)).collect();
    let entries = words.iter().enumerate().map(|(token, word)| match token {
        0 => Value::Null,
        _ => json!({ id(word).to_string(): {
            "logprob": logprob(word), "rank": 1 + id(word) % 3, "decoded_token": word } }),
    });
    Reply::json(&json!({
        "id": "cmpl-1", "object": "text_completion", "created": 1, "model": "tiny",
        "choices": [{ "index": 0, "text": "x", "logprobs": null, "finish_reason": "length",
            "prompt_token_ids": ids, "prompt_logprobs": entries.collect::<Value>() }],
        "usage": { "prompt_tokens": ids.len(), "total_tokens": ids.len() + 1, "completion_tokens": 1 }
    }))
}

pub fn openai(request: &Request, echo: bool) -> Reply {
    if request.method == "GET" {
        return models(request, "tiny");
    }
    let Some(text) = request
        .prompt()
        .filter(|_| request.path == "/v1/completions")
    else {
        return Reply::not_found();
    };
    let mut tokens = if echo { words(text) } else { Vec::new() };
    let prompt = words(text).len();
    tokens.push("x".into());
    let null_first = |token: usize, value: Value| match token == 0 && echo {
        true => Value::Null,
        false => value,
    };
    let each = |value: &dyn Fn(&str) -> Value| -> Value {
        let tokens = tokens.iter().enumerate();
        tokens
            .map(|(token, word)| null_first(token, value(word)))
            .collect()
    };
    Reply::json(&json!({
        "id": "cmpl-1", "object": "text_completion", "created": 1, "model": "tiny",
        "choices": [{ "index": 0, "text": tokens.concat(), "finish_reason": "length", "logprobs": {
            "tokens": tokens,
            "token_logprobs": each(&|word| json!(logprob(word))),
            "top_logprobs": each(&|word| json!({ word: logprob(word), "?": logprob(word) - 1.0 })),
        }}],
        "usage": { "prompt_tokens": prompt, "completion_tokens": 1, "total_tokens": prompt + 1 }
    }))
}

pub fn models(request: &Request, name: &str) -> Reply {
    match request.path.as_str() {
        "/v1/models" => Reply::json(&json!({ "object": "list", "data": [{ "id": name }] })),
        _ => Reply::not_found(),
    }
}
