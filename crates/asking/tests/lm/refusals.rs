//! Servers that cannot do it, and answers that do not fit.

use asking::lm::{Endpoint, Prompt, Server};
use serde_json::{Value, json};

use crate::fake::{Fake, Reply, Request};
use crate::{Watcher, endpoint, simulated, store, text};

fn refused(dialect: &str, handler: fn(&Request) -> Reply) -> String {
    let fake = Fake::start(handler);
    let mut endpoint = endpoint(&fake.url, dialect);
    endpoint.retries = 0;
    Server::connect(endpoint).err().unwrap().to_string()
}

#[test]
fn a_server_that_ignores_echo_is_found_out() {
    for dialect in ["openai", "auto"] {
        let words = refused(dialect, |request| simulated::openai(request, false));
        assert!(words.contains("ignored `echo`"), "{words}");
        assert!(words.contains("vLLM"), "{words}");
    }
    let honest = Fake::start(|request| simulated::openai(request, true));
    let server = Server::connect(endpoint(&honest.url, "auto")).unwrap();
    assert_eq!(server.dialect(), "openai");
}

#[test]
fn ollama_and_llama_cpp_are_known_by_name() {
    let words = refused("auto", |request| match request.path.as_str() {
        "/api/version" => Reply::status(200, r#"{"version":"0.6.3"}"#),
        _ => simulated::openai(request, false),
    });
    assert!(words.contains("Ollama"), "{words}");
    let words = refused("openai", |request| match request.prompt() {
        Some(_) => Reply::status(
            400,
            r#"{"error":{"code":400,"message":"Only no echo is supported","type":"invalid_request_error"}}"#,
        ),
        None => Reply::not_found(),
    });
    assert!(words.contains("llama.cpp"), "{words}");
}

#[test]
fn a_chat_service_is_known_by_its_complaint() {
    let words = refused("openai", |_| {
        let body = "This is a chat model and not supported in the v1/completions endpoint. \
                    Did you mean to use v1/chat/completions?";
        Reply::status(404, &json!({ "error": { "message": body } }).to_string())
    });
    assert!(words.contains("chat service"), "{words}");
}

#[test]
fn a_missing_key_and_a_wrong_model_come_with_their_remedies() {
    for dialect in ["auto", "vllm"] {
        let words = refused(dialect, |_| Reply::status(401, "no key"));
        assert!(words.contains("api_key"), "{words}");
    }
    let fake = Fake::start(|request| match request.prompt() {
        Some(_) => Reply::status(404, "The model `big` does not exist."),
        None => simulated::models(request, "tiny"),
    });
    let wrong = Server::connect(Endpoint {
        model: Some("big".into()),
        ..endpoint(&fake.url, "vllm")
    });
    let words = wrong.err().unwrap().to_string();
    assert!(words.contains("the server has tiny"), "{words}");
}

#[test]
fn one_of_several_models_must_be_chosen() {
    let words = refused("vllm", |request| match request.method.as_str() {
        "GET" => Reply::json(&json!({ "data": [{ "id": "a" }, { "id": "b\u{1b}" }] })),
        _ => simulated::vllm(request),
    });
    assert!(words.contains("set model to one of a, b\\u{1b}"), "{words}");
}

#[test]
fn settings_are_checked_before_anything_is_sent() {
    let wrong = |change: fn(&mut Endpoint)| {
        let mut endpoint = endpoint("http://127.0.0.1:9", "vllm");
        change(&mut endpoint);
        Server::connect(endpoint).err().unwrap().to_string()
    };
    assert!(wrong(|e| e.concurrency = 0).contains("concurrency"));
    assert!(wrong(|e| e.per_minute = Some(0)).contains("requests_per_minute"));
    assert!(wrong(|e| e.timeout = std::time::Duration::ZERO).contains("timeout"));
    assert!(wrong(|e| e.dialect = "latin".into()).contains("auto or one of vllm"));
    assert!(wrong(|e| e.url = "127.0.0.1".into()).contains("url is wrong"));
    let key = wrong(|e| e.key = Some(asking::lm::Secret::new("hidden\n")));
    assert!(key.contains("api_key") && !key.contains("hidden"), "{key}");
}

/// What a dialect's simulated answer becomes when its JSON is changed before it is sent.
fn changed(change: impl Fn(&mut Value) + Send + Sync + 'static) -> String {
    let fake = Fake::start(move |request| {
        let reply = simulated::vllm(request);
        match request.prompt() {
            Some(prompt) if !prompt.contains("Tuesday") => {
                let mut body = serde_json::from_slice(&reply.body).unwrap();
                change(&mut body);
                Reply::json(&body)
            }
            _ => reply,
        }
    });
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let scored = server.score(
        &[text("a b c d e f")],
        &store,
        Watcher::default().progress(),
    );
    scored.unwrap_err().to_string()
}

#[test]
fn answers_that_do_not_fit_are_refused() {
    let words = changed(|body| body["choices"][0]["prompt_logprobs"] = Value::Null);
    assert!(words.contains("no prompt_logprobs"), "{words}");
    let words = changed(|body| {
        let entries = body["choices"][0]["prompt_logprobs"].as_array_mut();
        entries.unwrap().pop();
    });
    assert!(words.contains("5 entries for 6 tokens"), "{words}");
    let words = changed(|body| {
        let entry = &mut body["choices"][0]["prompt_logprobs"][2];
        let entry = entry.as_object_mut().unwrap().values_mut().next().unwrap();
        entry["logprob"] = json!("-inf");
    });
    assert!(words.contains("log-probability of token 2"), "{words}");
    let words = changed(|body| body["choices"][0]["prompt_token_ids"][1] = json!(99_999));
    assert!(words.contains("token 1"), "{words}");
    let words = changed(|body| *body = json!([]));
    assert!(words.starts_with("text 1 of 1"), "{words}");
}

#[test]
fn an_error_that_comes_as_success_is_quoted() {
    let words = changed(|body| *body = json!({ "error": "out of memory\u{1b}" }));
    assert!(words.contains("out of memory"), "{words}");
    assert!(!words.contains('\u{1b}'), "{words}");
}

#[test]
fn a_server_that_takes_texts_only_is_not_asked_twice() {
    // As llama-cpp-python answers token ids.
    let complaint = "1 validation errors:\n  {'loc': ('body', 'prompt', 'str'), \
                     'msg': 'Input should be a valid string'}";
    let fake = Fake::start(move |request| match request.body.get("prompt") {
        Some(Value::Array(_)) => {
            let error = json!({ "error": { "message": complaint } });
            Reply::status(500, &error.to_string())
        }
        _ => simulated::openai(request, true),
    });
    let server = Server::connect(endpoint(&fake.url, "openai")).unwrap();
    assert!(!server.gives().takes_ids);
    let (_folder, store) = store();
    let refused = server.score(
        &[Prompt::Ids(vec![1, 2])],
        &store,
        Watcher::default().progress(),
    );
    assert!(refused.unwrap_err().hint.unwrap().contains("texts only"));
    let asked = fake.requests();
    let asked = asked
        .iter()
        .filter(|request| request.body["prompt"].is_array());
    assert_eq!(asked.count(), 1);
}

#[test]
fn an_answer_that_did_not_fit_is_asked_for_again() {
    let mended = std::sync::atomic::AtomicUsize::new(0);
    let fake = Fake::start(move |request| match request.prompt() {
        Some("a b") if mended.fetch_add(1, std::sync::atomic::Ordering::SeqCst) == 0 => {
            Reply::status(200, r#"{"choices":[{}]}"#)
        }
        _ => simulated::vllm(request),
    });
    let (_folder, store) = store();
    let server = Server::connect(endpoint(&fake.url, "vllm")).unwrap();
    let score = || server.score(&[text("a b")], &store, Watcher::default().progress());
    assert!(score().is_err());
    assert!(score().is_ok());
    assert_eq!(fake.prompts().len(), 2);
}
