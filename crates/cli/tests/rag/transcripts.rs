//! Exchanges that were recorded elsewhere.

use serde_json::json;

use crate::bench::Bench;
use crate::service::text;

fn rows(count: usize, row: impl Fn(usize, bool) -> serde_json::Value) -> String {
    (0..count)
        .flat_map(|number| [(2 * number, true), (2 * number + 1, false)])
        .map(|(number, member)| row(number, member).to_string() + "\n")
        .collect()
}

#[test]
fn a_leak_in_recorded_answers_is_found_with_and_without_texts() {
    let bench = Bench::new();
    let row = |number: usize, member: bool| {
        let answer = match member {
            true => text(number),
            false => "I don't know.".into(),
        };
        json!({
            "document": format!("paper-{number}"), "member": member, "strategy": "content",
            "query": "What is said about it?", "answer": answer, "citations": [],
        })
    };
    bench.write("talk.jsonl", &rows(60, row));
    let said = bench.guestlist("audit talk.jsonl --out a").exits(1);
    assert!(said.stdout.contains("content"), "{}", said.stdout);
    let texts = |number: usize, _| json!({"id": format!("paper-{number}"), "text": text(number)});
    bench.write("texts.jsonl", &rows(60, texts));
    bench
        .guestlist("audit talk.jsonl --documents texts.jsonl --out b")
        .exits(1);
    let signals = |folder: &str| {
        let report = bench.json(&format!("{folder}/report.json"));
        report["detail"]["signals"].as_array().unwrap().len()
    };
    assert!(signals("b") > signals("a"), "texts allow more signals");
}

#[test]
fn equal_answers_give_chance_and_a_pass_where_controls_are_found() {
    let bench = Bench::new();
    let row = |number: usize, member: bool| {
        json!({
            "document": format!("paper-{number}"), "member": member, "strategy": "facts",
            "query": "What is missing?", "expected": "420",
            "answer": if number % 4 < 2 { "420" } else { "I don't know." },
        })
    };
    let talk = rows(60, row);
    bench.write("talk.jsonl", &talk);
    let said = bench.guestlist("audit talk.jsonl --out a").exits(3);
    assert!(said.stdout.contains("reached"), "{}", said.stdout);
    let control = |answer: &str| {
        json!({
            "document": "invented", "strategy": "control", "query": "Who keeps the mill of Velmor?",
            "expected": "Breido Zaur", "answer": answer,
        })
        .to_string()
            + "\n"
    };
    bench.write(
        "found.jsonl",
        &(talk.clone() + &control("Breido Zaur does.")),
    );
    bench.guestlist("audit found.jsonl --out b").exits(0);
    bench.write("lost.jsonl", &(talk + &control("I don't know.")));
    let said = bench
        .guestlist("audit lost.jsonl --out c --verbose")
        .exits(3);
    assert!(said.stdout.contains("0 of 1 controls"), "{}", said.stdout);
}

#[test]
fn broken_transcripts_are_refused_by_row() {
    let bench = Bench::new();
    let exchange = |member: &str| {
        format!(
            "{{\"document\": \"a\", \"strategy\": \"content\", \"query\": \"q\", \"answer\": \"x\"{member}}}\n"
        )
    };
    bench.write("none.jsonl", &exchange(""));
    bench
        .guestlist("audit none.jsonl")
        .complains(&["none.jsonl", "member"]);
    bench.write(
        "two.jsonl",
        &(exchange(", \"member\": true") + &exchange(", \"member\": false")),
    );
    bench
        .guestlist("audit two.jsonl")
        .complains(&["two.jsonl", "rows 1 and 2"]);
    bench.write(
        "half.jsonl",
        &(exchange(", \"member\": true") + "{\"document\": \"a\", \"query\""),
    );
    bench
        .guestlist("audit half.jsonl")
        .complains(&["half.jsonl", "row 2"]);
    bench.write("one.jsonl", &exchange(", \"member\": true"));
    bench.guestlist("audit one.jsonl").complains(&["member"]);
    bench
        .guestlist("audit one.jsonl --target 3")
        .complains(&["--target"]);
}
