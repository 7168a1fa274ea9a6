//! Answers in pieces.

use std::io::Write;
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::client::ask;
use crate::{ANSWER, QUESTION, serve};

fn events(defences: &[&str], body: &Value) -> Vec<Value> {
    let server = serve(defences, None);
    let response = ask(server.address(), &body.to_string(), "");
    assert_eq!(response.status, 200);
    let mut events: Vec<&str> = response.body.split_terminator("\n\n").collect();
    assert_eq!(events.pop(), Some("data: [DONE]"));
    let parse = |event: &str| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
    events.into_iter().map(parse).collect()
}

fn request() -> Value {
    json!({"stream": true, "messages": [{"role": "user", "content": QUESTION}]})
}

fn streamed(events: &[Value]) -> String {
    let delta = |event: &Value| {
        event["choices"][0]["delta"]["content"]
            .as_str()
            .map(str::to_owned)
    };
    events.iter().filter_map(delta).collect()
}

#[test]
fn pieces_add_up_and_the_last_has_the_sources() {
    let events = events(&[], &request());
    assert!(events.len() > 5);
    assert_eq!(events[0]["choices"][0]["delta"]["role"], "assistant");
    assert_eq!(streamed(&events), ANSWER);
    let last = events.last().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "stop");
    assert_eq!(last["citations"][0]["id"], "bridges");
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0);
    assert!(
        events
            .iter()
            .all(|event| event["object"] == "chat.completion.chunk")
    );
}

#[test]
fn a_screened_answer_leaks_nothing_before_it_is_refused() {
    let events = events(&["refuse-verbatim"], &request());
    assert!(
        !events
            .iter()
            .any(|event| event.to_string().contains("asphalt"))
    );
    assert_eq!(
        events.last().unwrap()["choices"][0]["finish_reason"],
        "content_filter"
    );
}

#[test]
fn an_error_within_a_stream_is_an_event() {
    let mut body = request();
    body["top_k"] = json!(500);
    let events = events(&[], &body);
    assert_eq!(events.last().unwrap()["error"]["code"], "invalid_value");
}

#[test]
fn readers_that_hang_up_do_not_hurt_others() {
    let server = serve(&[], None);
    let body = request().to_string();
    for _ in 0..20 {
        let mut connection = TcpStream::connect(server.address()).unwrap();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        connection.write_all(head.as_bytes()).unwrap();
        connection.write_all(body.as_bytes()).unwrap();
    }
    let answer = ask(server.address(), &body, "");
    assert!(answer.body.ends_with("data: [DONE]\n\n"));
}
