//! A server whose model changed since its answers were stored.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use crate::bench::Bench;
use crate::fake::{Fake, Reply};
use crate::simulated;

/// Says other numbers once it is told to.
fn changeable() -> (Fake, Arc<AtomicBool>) {
    let changed = Arc::new(AtomicBool::new(false));
    let flag = changed.clone();
    let fake = Fake::start(move |request| {
        let reply = simulated::vllm(request);
        let body = String::from_utf8(reply.body).unwrap();
        match flag.load(Ordering::SeqCst) {
            true => Reply::status(
                reply.status,
                &body.replace("\"logprob\":-", "\"logprob\":-1"),
            ),
            false => Reply::status(reply.status, &body),
        }
    });
    (fake, changed)
}

fn ready(url: &str) -> Bench {
    let bench = Bench::new();
    let text = |number: usize| {
        let words = (0..24).map(|word| format!("w{}", (number * 31 + word * 17) % 997));
        words.collect::<Vec<_>>().join(" ")
    };
    for (name, from) in [("in.jsonl", 0), ("out.jsonl", 40)] {
        let row = |number| serde_json::json!({"id": number, "text": text(number)});
        let rows: Vec<String> = (from..from + 40).map(|n| row(n).to_string()).collect();
        bench.write(name, &rows.join("\n"));
    }
    bench.write(
        "guestlist.toml",
        &format!(
            "kind = \"lm\"\n[texts]\nmembers = \"in.jsonl\"\nnonmembers = \"out.jsonl\"\n[target]\n\
             server = \"{url}\"\ndialect = \"vllm\"\n[scoring]\nlowercase = false\n"
        ),
    );
    bench
}

fn answered(bench: &Bench) -> String {
    let report: Value = bench.json("guestlist-run/report.json");
    let model = &report["detail"]["scoring"]["models"][0];
    model["answered"].as_str().unwrap().to_owned()
}

#[test]
fn stored_answers_have_a_date_and_a_changed_model_stops_the_run_until_all_is_asked_again() {
    let (fake, changed) = changeable();
    let bench = ready(&fake.url);
    let said = bench.guestlist("run --verbose");
    assert!(said.stdout.contains("; answers of 20"), "{}", said.stderr);
    assert_eq!(answered(&bench).len(), "2026-03-09".len());
    assert_eq!(fake.prompts().len(), 80);
    bench.guestlist("run");
    assert_eq!(fake.prompts().len(), 88, "a few are asked again");
    changed.store(true, Ordering::SeqCst);
    bench.guestlist("run").complains(&[
        "target: 8 of 8 texts",
        "in the store, of 20",
        "--ask-again",
    ]);
    let before = fake.prompts().len();
    let said = bench.guestlist("run --ask-again");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    assert_eq!(fake.prompts().len(), before + 80);
    bench.guestlist("run --ask-again --replay").exits(2);
}

#[test]
fn what_is_not_asked_over_a_line_is_not_asked_again() {
    let bench = Bench::with(2, "epochs = 1");
    bench
        .guestlist("run --ask-again")
        .complains(&["--ask-again is for kind lm, rag, source"]);
}
