//! What is sent is what the target says.

use super::*;
use crate::fake::Fake;

/// Sends one question and returns the request as the server saw it.
fn sent(target: impl Fn(&str) -> Value, query: &str) -> Request {
    let fake = Fake::start(echo);
    let mut target = target(&fake.url);
    target["extract"] = json!({"answer": "$.answer"});
    service(target, &transport())
        .probe(query, Arm::Retrieval)
        .unwrap();
    fake.requests()[0].clone()
}

const HOSTILE: &str = "say \"hi\" \\1 {{session}} ${PATH}\n\u{1f600} <&> %41";

#[test]
fn the_question_goes_anywhere_in_the_body() {
    let request = sent(
        |url| {
            json!({"url": url, "body": {
                "messages": [{"role": "system", "content": "be brief"},
                             {"role": "user", "content": "Q: {{query}}!"}],
                "deep": [[{"a": "{{ query }}"}]], "temperature": 0, "stream": false, "n": null,
            }})
        },
        HOSTILE,
    );
    assert_eq!(request.method, "POST");
    assert_eq!(request.headers["content-type"], "application/json");
    assert_eq!(
        request.body["messages"][1]["content"],
        format!("Q: {HOSTILE}!")
    );
    assert_eq!(request.body["deep"][0][0]["a"], HOSTILE);
    assert_eq!(request.body["temperature"], 0);
    assert_eq!(request.body["n"], Value::Null);
}

#[test]
fn a_text_body_is_filled_with_escaped_text() {
    let body = r#"{"q": "{{query}}", "again": ["{{query}}"]}"#;
    let request = sent(|url| json!({"url": url, "body_text": body}), HOSTILE);
    assert_eq!(request.body, json!({"q": HOSTILE, "again": [HOSTILE]}));
}

#[test]
fn forms_and_urls_are_encoded() {
    let request = sent(
        |url| json!({"url": url, "form": {"q": "{{query}}", "k": "a b"}}),
        "a&b=ü ?",
    );
    assert_eq!(
        request.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
    assert_eq!(request.text, "k=a%20b&q=a%26b%3D%C3%BC%20%3F");
    let target =
        |url: &str| json!({"url": format!("{url}/find/{{{{query}}}}?q={{{{query}}}}&n=5")});
    let request = sent(target, "a/b c?");
    assert_eq!(request.method, "GET");
    assert_eq!(request.target, "/find/a%2Fb%20c%3F?q=a%2Fb%20c%3F&n=5");
    assert_eq!(request.text, "");
}

#[test]
fn values_headers_and_keys_are_filled_in() {
    let request = sent(
        |url| {
            json!({"url": format!("{url}/apps/{{{{app}}}}"), "method": "put", "api_key": "k-123456",
                "headers": {"X-Trace": "t {{session}}", "Content-Type": "application/x-json"},
                "values": {"app": "seven", "top": 5, "ids": ["a", "b"]},
                "body": {"q": "{{query}}", "k": "{{top}}", "ids": "{{ids}}", "t": "top {{top}}"}})
        },
        "q",
    );
    assert_eq!(
        (request.method.as_str(), request.target.as_str()),
        ("PUT", "/apps/seven")
    );
    assert_eq!(request.headers["authorization"], "Bearer k-123456");
    assert_eq!(request.headers["content-type"], "application/x-json");
    assert_eq!(
        request.body,
        json!({"q": "q", "k": 5, "ids": ["a", "b"], "t": "top 5"})
    );
    assert_eq!(request.headers["x-trace"].len(), 2 + 36);
}

#[test]
fn sessions_differ_between_questions_and_stay_for_one() {
    let target = |url: &str| json!({"url": url, "body": {"q": "{{query}}", "s": "{{session}}"}});
    let fake = Fake::start(echo);
    let mut settings = target(&fake.url);
    settings["extract"] = json!({"answer": "$.answer"});
    let service = service(settings, &transport());
    for query in ["a", "b", "a"] {
        service.probe(query, Arm::Retrieval).unwrap();
    }
    let sessions: Vec<String> = fake
        .requests()
        .iter()
        .map(|request| request.body["s"].to_string())
        .collect();
    assert_eq!(sessions[0], sessions[2]);
    assert_ne!(sessions[0], sessions[1]);
}

#[test]
fn credentials_in_the_url_become_a_header() {
    let request = sent(
        |url| json!({"url": url.replace("http://", "http://me:p%40ss@"), "body": "{{query}}"}),
        "q",
    );
    // "me:p@ss" in base 64.
    assert_eq!(request.headers["authorization"], "Basic bWU6cEBzcw==");
    assert_eq!(request.body, "q");
}
