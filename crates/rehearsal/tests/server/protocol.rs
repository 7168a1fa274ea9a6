//! Whole answers, and refusals.

use std::net::TcpStream;

use guestlist_rehearsal::{ChunkSettings, Index, Service, ServiceSettings, start};
use serde_json::json;

use crate::client::{ask, get};
use crate::{ANSWER, QUESTION, serve};

fn request(question: &str) -> serde_json::Value {
    json!({"model": "any", "messages": [{"role": "user", "content": question}]})
}

#[test]
fn an_answer_has_words_sources_and_usage() {
    let server = serve(&[], None);
    let body = request(QUESTION).to_string();
    let response = ask(server.address(), &body, "");
    let answer = response.json();
    assert_eq!(response.status, 200);
    assert_eq!(answer["object"], "chat.completion");
    assert_eq!(answer["model"], "any");
    assert_eq!(
        answer["choices"][0]["message"],
        json!({"role": "assistant", "content": ANSWER})
    );
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
    assert_eq!(answer["citations"][0]["id"], "bridges");
    assert_eq!(answer["citations"][0]["title"], "Fatigue of steel bridges");
    assert!(answer["citations"][0].get("score").is_none());
    assert!(answer["retrieved"][0]["score"].as_f64().unwrap() > 0.0);
    assert!(
        answer["retrieved"][0]["text"]
            .as_str()
            .unwrap()
            .contains("asphalt")
    );
    let usage = &answer["usage"];
    let count = |key: &str| usage[key].as_u64().unwrap();
    assert_eq!(
        count("total_tokens"),
        count("prompt_tokens") + count("completion_tokens")
    );
}

#[test]
fn retrieval_is_switched_off_by_field_or_by_name() {
    let server = serve(&[], None);
    let mut by_field = request(QUESTION);
    by_field["retrieval"] = json!(false);
    let mut by_name = request(QUESTION);
    by_name["model"] = json!("guestlist-rag-plain");
    for body in [by_field, by_name] {
        let answer = ask(server.address(), &body.to_string(), "").json();
        assert_eq!(answer["retrieved"], json!([]));
        let text = answer["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(text.starts_with("I don't know"), "{text}");
    }
}

#[test]
fn limits_and_parts_of_messages_are_understood() {
    let server = serve(&[], None);
    let body = json!({
        "messages": [{"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": QUESTION}]}],
        "max_tokens": 2, "temperature": 1, "top_k": 1, "user": "somebody", "n": 1,
    });
    let answer = ask(server.address(), &body.to_string(), "").json();
    assert_eq!(
        answer["choices"][0]["message"]["content"],
        "Thicker asphalt"
    );
    assert_eq!(answer["choices"][0]["finish_reason"], "length");
    assert_eq!(answer["model"], "guestlist-rag");
}

#[test]
fn a_refused_answer_says_that_it_was_filtered() {
    let server = serve(&["refuse-verbatim"], None);
    let answer = ask(server.address(), &request(QUESTION).to_string(), "").json();
    assert_eq!(answer["choices"][0]["finish_reason"], "content_filter");
    assert_eq!(answer["citations"], json!([]));
}

#[test]
fn bad_requests_are_told_what_is_wrong() {
    let server = serve(&[], None);
    let large = request(&"word ".repeat(300_000)).to_string();
    for (body, status, words) in [
        ("{", 400, "the body is not a request"),
        ("[]", 400, "the body is not a request"),
        ("\u{fffd}", 400, "the body is not a request"),
        ("{}", 400, "messages is missing"),
        (r#"{"messages":[]}"#, 400, "messages is missing"),
        (r#"{"messages":[{"role":"user"}]}"#, 400, "content"),
        (
            r#"{"messages":[{"role":"robot","content":"x"}]}"#,
            400,
            "robot",
        ),
        (
            r#"{"messages":[{"role":"user","content":" "}]}"#,
            400,
            "words of a user",
        ),
        (
            r#"{"messages":[{"role":"user","content":"x"}],"top_k":0}"#,
            400,
            "top_k is 0",
        ),
        (
            r#"{"messages":[{"role":"user","content":"x"}],"top_k":-1}"#,
            400,
            "`-1`",
        ),
        (
            r#"{"messages":[{"role":"user","content":"x"}],"temperature":9}"#,
            400,
            "temperature is 9",
        ),
        (large.as_str(), 413, "1048576 bytes"),
    ] {
        let response = ask(server.address(), body, "");
        let error = &response.json()["error"];
        assert_eq!(response.status, status, "{error}");
        assert!(
            error["message"].as_str().unwrap().contains(words),
            "{error}"
        );
        assert_eq!(error["type"], "invalid_request_error");
        assert!(error["code"].is_string());
    }
}

#[test]
fn other_addresses_and_methods_are_answered_in_the_same_shape() {
    let server = serve(&[], None);
    for (path, status) in [("/v1/nothing", 404), ("/v1/chat/completions", 405)] {
        let response = get(server.address(), path);
        assert_eq!(response.status, status);
        assert!(response.json()["error"]["message"].is_string());
    }
    let models = get(server.address(), "/v1/models").json();
    assert_eq!(models["data"][1]["id"], "guestlist-rag-plain");
    assert_eq!(get(server.address(), "/health").json()["documents"], 1);
}

#[test]
fn a_key_opens_the_door_and_nothing_else_does() {
    let server = serve(&[], Some("secret"));
    let body = request(QUESTION).to_string();
    for headers in [
        "",
        "Authorization: Bearer secreT\r\n",
        "Authorization: Bearer secret2\r\n",
        "Authorization: secret\r\n",
    ] {
        let response = ask(server.address(), &body, headers);
        assert_eq!(
            (response.status, &response.json()["error"]["code"]),
            (401, &json!("invalid_api_key"))
        );
    }
    assert_eq!(
        ask(server.address(), &body, "Authorization: Bearer secret\r\n").status,
        200
    );
    assert_eq!(get(server.address(), "/v1/models").status, 401);
    assert_eq!(get(server.address(), "/health").status, 200);
}

#[test]
fn a_stopped_or_dropped_server_frees_its_port() {
    let server = serve(&[], None);
    let address = server.address();
    // A connection that says nothing does not keep the server.
    let _idle = TcpStream::connect(address).unwrap();
    server.stop();
    assert!(TcpStream::connect(address).is_err());
    let address = {
        let dropped = serve(&[], None);
        dropped.address()
    };
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_taken_port_is_named() {
    let first = serve(&[], None);
    let index = Index::new(vec![], ChunkSettings::default(), None).unwrap();
    let service = Service::extractive(index, ServiceSettings::default()).unwrap();
    let error = start(service.into(), first.address(), None)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains(&first.address().to_string()) && error.contains("hint"),
        "{error}"
    );
}

#[test]
fn many_ask_at_once_and_hear_the_same() {
    let server = serve(&[], None);
    let body = request(QUESTION).to_string();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let answer = ask(server.address(), &body, "").json();
                    assert_eq!(answer["choices"][0]["message"]["content"], ANSWER);
                }
            });
        }
    });
}
