//! What a few questions that are asked twice show, and answers that end too soon.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::service::{Odd, http, said};
use crate::world::{World, configure, report};

const FEW: &str = "[source]\nperturbations = 16\n";

fn guardrail(report: &Value, id: &str) -> Value {
    let found = report["guardrails"].as_array().unwrap();
    let found = found.iter().find(|finding| finding["id"] == id);
    found.unwrap().clone()
}

#[test]
fn a_service_that_never_says_the_same_twice_is_warned_about() {
    let times = AtomicUsize::new(0);
    let service = Odd::start(move |_, _, _| {
        let time = times.fetch_add(1, Ordering::SeqCst);
        said(&format!(
            "Answer number {time}, {}",
            "and so on ".repeat(time % 5)
        ))
    });
    let bench = Bench::new();
    World::new(4, 24).write(&bench, true);
    configure(&bench, service.address, FEW);
    bench.guestlist("run");
    let found = guardrail(&report(&bench), "repeatability");
    assert_eq!(found["status"], "warn", "{found}");
    let detail = found["detail"].as_str().unwrap();
    assert!(detail.starts_with("20 of 20 questions"), "{detail}");
    let rows = std::fs::read_to_string(bench.path("guestlist-run/transcript.jsonl")).unwrap();
    let twice = rows.lines().filter(|row| row.contains("\"repeat\":1"));
    assert_eq!(twice.count(), 20);
}

#[test]
fn answers_that_are_cut_off_are_noticed_and_steady_ones_are_said_to_be() {
    let world = World::new(4, 24);
    let texts: Vec<String> = world.retrieved.clone();
    let service = Odd::start(move |_, body, _| {
        let asked = body["messages"][0]["content"].as_str().unwrap().len();
        let text = &texts[asked % texts.len()];
        let choice = json!({"message": {"content": text}, "finish_reason": "length"});
        let body = json!({ "choices": [choice] }).to_string();
        http("200 OK", "application/json", body.as_bytes())
    });
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, FEW);
    bench.guestlist("run");
    let report = report(&bench);
    let found = guardrail(&report, "cut-answers");
    assert_eq!(found["status"], "warn", "{found}");
    assert!(found["detail"].as_str().unwrap().contains("--ask-again"));
    assert_eq!(guardrail(&report, "repeatability")["status"], "ok");
    let access = guardrail(&report, "weak-access");
    assert_eq!(access["status"], "ok", "{access}");
}
