//! What a service gives away beside its answers: in its thoughts, in other fields, in numbers and in words.

use std::collections::HashSet;
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::controls::{configured, finding, ready};
use crate::service::{Odd, documents, holder, http, pass_on, serve, texts_of_members};

const AGAIN: &str = "audit guestlist-run/transcript.jsonl --out again --attacks \
                     content,facts,refusals,rank-average,cross-fitted --set cross-fitted.latency=no";

/// An audit of a service that holds no member, and of whose answers something is changed for the text of a member, if
/// the question is about one. What becomes of it, and of its transcript.
fn audited(
    change: impl Fn(&mut Value, Option<&str>) + Send + Sync + 'static,
    exits: i32,
) -> (Bench, Value) {
    audited_again(move |said, text, _| change(said, text), exits)
}

/// The same of a service that knows whether it was asked the same before.
fn audited_again(
    change: impl Fn(&mut Value, Option<&str>, bool) + Send + Sync + 'static,
    exits: i32,
) -> (Bench, Value) {
    let (bench, controls) = ready();
    let rows = std::fs::read_to_string(bench.path("controls.jsonl")).unwrap();
    let named = |row: &str| -> Option<String> {
        let row: Value = serde_json::from_str(row).ok()?;
        let name = row["title"].as_str()?.split_whitespace().last()?;
        Some(name.to_owned())
    };
    let names: Vec<String> = rows.lines().filter_map(named).collect();
    let store = documents(1000..1200).into_iter().chain(controls).collect();
    let running = serve(store, &["hide-citations"]);
    let behind = running.address();
    let texts = texts_of_members(60);
    let known = Mutex::new(HashSet::new());
    let odd = Odd::start(move |_, body, _| {
        let query = body["messages"][0]["content"].as_str().unwrap_or_default();
        let mut said: Value = serde_json::from_slice(&pass_on(behind, body)).unwrap();
        // Controls are answered as they are.
        if !names.iter().any(|name| query.contains(name)) {
            let held = holder(query, &texts);
            let held = held.and_then(|number| texts.iter().find(|(one, _)| *one == number));
            let asked_before = !known.lock().unwrap().insert(query.to_owned());
            let text = held.map(|(_, text)| text.as_str());
            change(&mut said, text, asked_before);
        }
        let more = said.as_object_mut().and_then(|said| said.remove("header"));
        let more = more
            .as_ref()
            .and_then(Value::as_str)
            .map(|more| format!("\r\n{more}"));
        let kind = format!("application/json{}", more.unwrap_or_default());
        http("200 OK", &kind, said.to_string().as_bytes())
    });
    configured(&bench, odd.address);
    bench.guestlist("run").exits(exits);
    let report = bench.json("guestlist-run/report.json");
    bench.guestlist(AGAIN).exits(exits);
    let again = bench.json("again/report.json");
    assert_eq!(again["verdict"]["outcome"], report["verdict"]["outcome"]);
    (bench, report)
}

fn silent(said: &mut Value) {
    said["choices"][0]["message"]["content"] = "I don't know.".into();
}

#[test]
fn a_document_in_thoughts_or_in_another_field_is_a_leak() {
    let in_thoughts = |said: &mut Value, text: Option<&str>| {
        let thought = text.map_or("Nothing was found.".to_owned(), |text| {
            format!("It says: {text}")
        });
        said["choices"][0]["message"]["content"] =
            format!("<think>{thought}</think>I don't know.").into();
    };
    audited(in_thoughts, 1);
    let in_context = |said: &mut Value, text: Option<&str>| {
        silent(said);
        said["context"] = text.into_iter().collect();
    };
    audited(in_context, 1);
    let in_a_second_answer = |said: &mut Value, text: Option<&str>| {
        silent(said);
        if let (Some(text), Some(choices)) = (text, said["choices"].as_array_mut()) {
            choices.push(json!({"index": 1, "message": {"content": text}}));
        }
    };
    audited(in_a_second_answer, 1);
}

#[test]
fn a_document_that_a_second_answer_alone_gives_away_takes_a_pass() {
    let whole = |said: &mut Value, text: Option<&str>, asked_before: bool| {
        silent(said);
        if let (Some(text), true) = (text, asked_before) {
            said["choices"][0]["message"]["content"] = text.into();
        }
    };
    let (_, report) = audited_again(whole, 3);
    let found = finding(&report, "repeatability");
    assert_eq!(found["status"], "violated", "{found}");
    let detail = found["detail"].as_str().unwrap();
    assert!(detail.contains("second answer"), "{detail}");
    // Chance in second answers alone is none.
    let by_chance = |said: &mut Value, text: Option<&str>, asked_before: bool| {
        silent(said);
        let letters = text.map_or(0, str::len);
        if asked_before && letters % 2 == 1 {
            said["choices"][0]["message"]["content"] = "I do not know that.".into();
        }
    };
    let (_, report) = audited_again(by_chance, 0);
    assert_ne!(finding(&report, "repeatability")["status"], "violated");
}

#[test]
fn the_name_of_a_document_in_any_field_is_a_leak() {
    for place in ["doc_id", "hit", "scores", "feedback"] {
        let texts = texts_of_members(60);
        let names_it = move |said: &mut Value, text: Option<&str>| {
            silent(said);
            let held = texts.iter().find(|(_, own)| Some(own.as_str()) == text);
            let number = held.map_or(1000, |(number, _)| *number);
            let id = format!("paper-{number:05}");
            said[place] = match place {
                "scores" => json!({id: 0.5}),
                "feedback" => format!("https://x.example/feedback?d={id}&v=1").into(),
                _ => id.into(),
            };
        };
        audited(names_it, 1);
    }
}

#[test]
fn a_number_or_a_word_beside_answers_that_tells_takes_a_pass() {
    let tokens = |said: &mut Value, text: Option<&str>| {
        silent(said);
        said["usage"]["prompt_tokens"] = if text.is_some() { 900 } else { 120 }.into();
    };
    let (_, report) = audited(tokens, 3);
    let found = finding(&report, "telling-signals");
    assert_eq!(found["status"], "violated", "{found}");
    let words = found["detail"].as_str().unwrap();
    assert!(words.contains("prompt_tokens"), "{words}");
    let model = |said: &mut Value, text: Option<&str>| {
        silent(said);
        said["model"] = if text.is_some() { "large" } else { "small" }.into();
    };
    let (_, report) = audited(model, 3);
    assert_eq!(finding(&report, "telling-signals")["status"], "violated");
}

#[test]
fn a_header_that_tells_takes_a_pass_and_one_with_a_document_is_a_leak() {
    let cache = |said: &mut Value, text: Option<&str>| {
        silent(said);
        said["header"] = format!("X-Cache: {}", if text.is_some() { "HIT" } else { "MISS" }).into();
    };
    let (bench, report) = audited(cache, 3);
    let found = finding(&report, "telling-signals");
    assert_eq!(found["status"], "violated", "{found}");
    let words = found["detail"].as_str().unwrap();
    assert!(words.contains("header x-cache"), "{words}");
    drop(bench);
    let texts = texts_of_members(60);
    let source = move |said: &mut Value, text: Option<&str>| {
        silent(said);
        let held = texts.iter().find(|(_, own)| Some(own.as_str()) == text);
        let number = held.map_or(1000, |(number, _)| *number);
        said["header"] = format!("X-Source: paper-{number:05}").into();
    };
    audited(source, 1);
}

#[test]
fn numbers_in_answers_that_tell_take_a_pass() {
    let count = std::sync::atomic::AtomicUsize::new(0);
    let numbers = move |said: &mut Value, text: Option<&str>| {
        let count = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let base = if text.is_some() { 1000 } else { 5000 };
        let (one, other) = (base + count * 7919 % 1000, base + count * 31 % 1000);
        let words = format!("I cannot show that, see documents {one} and {other}.");
        said["choices"][0]["message"]["content"] = words.into();
    };
    let (_, report) = audited(numbers, 3);
    let found = finding(&report, "telling-signals");
    assert_eq!(found["status"], "violated", "{found}");
    let words = found["detail"].as_str().unwrap();
    assert!(words.contains("how large the numbers"), "{words}");
}

#[test]
fn what_stands_beside_the_answers_of_an_honest_service_takes_no_pass() {
    audited(|_, _| {}, 0);
}
