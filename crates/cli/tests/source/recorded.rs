//! A transcript is judged again: the same labels, scores and verdict as in the run, and nobody is asked.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use crate::bench::Bench;
use crate::service::{Odd, http, said};
use crate::world::{World, configure, report};

const MORE: &str = "seed = 5\n";

/// What an audit says of the service, less how it came to hear of it.
fn judged(report: &Value) -> [Value; 5] {
    ["verdict", "attacks", "guardrails", "detail", "notes"].map(|key| report[key].clone())
}

/// Judges the run's transcript again, and compares all that both have.
pub fn judge_again(bench: &Bench, options: &str) {
    let command = format!("audit guestlist-run/transcript.jsonl --out again {options}");
    let told = bench.guestlist(&command);
    assert!(matches!(told.code, Some(0 | 1 | 3)), "{}", told.stderr);
    let again = bench.json("again/report.json");
    assert_eq!(again["kind"], "source");
    assert_eq!(judged(&again), judged(&report(bench)));
    for file in ["attributions.jsonl", "scores.parquet"] {
        let read = |folder: &str| fs::read(bench.path(folder).join(file)).unwrap();
        assert!(read("again") == read("guestlist-run"), "{file} differs");
    }
}

#[test]
fn a_transcript_is_known_and_judged_as_its_run_was() {
    let world = World::new(8, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, "[source]\nperturbations = 32\n");
    let config = fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    bench.write("guestlist.toml", &(MORE.to_owned() + &config));
    bench.guestlist("run");
    let asked = service.count();
    judge_again(&bench, "");
    judge_again(&bench, "--kind source");
    assert_eq!(service.count(), asked, "nobody is asked again");
}

#[test]
fn answers_to_the_text_itself_failures_and_an_early_end_are_told_again() {
    let world = World::new(4, 24);
    let texts = world.retrieved.clone();
    let times = AtomicUsize::new(0);
    let service = Odd::start(move |_, body, _| {
        let asked = body["messages"][0]["content"].as_str().unwrap().len();
        let time = times.fetch_add(1, Ordering::SeqCst);
        // The first question of a run must not fail.
        match asked % 7 {
            0 if time > 40 => http("400 Bad Request", "text/plain", b"no"),
            place => said(&texts[place % texts.len()]),
        }
    });
    let bench = Bench::new();
    world.write(&bench, true);
    let more =
        "retries = 0\nmax_requests = 500\n[source]\nperturbations = 64\nreference = \"output\"\n";
    configure(&bench, service.address, more);
    bench.guestlist("run");
    judge_again(&bench, "");
}

#[test]
fn what_a_transcript_lacks_is_said() {
    let world = World::new(4, 24);
    let service = world.serve();
    let bench = Bench::new();
    world.write(&bench, true);
    configure(&bench, service.address, "[source]\nperturbations = 16\n");
    bench.guestlist("run");
    let audit = "audit guestlist-run/transcript.jsonl";
    let kept = bench.path("guestlist-run/source.json");
    let written = fs::read_to_string(&kept).unwrap();
    fs::write(&kept, written.replace("\"seed\":0", "\"seed\":1")).unwrap();
    bench
        .guestlist(audit)
        .complains(&["was asked something else", "source.json"]);
    fs::remove_file(&kept).unwrap();
    bench
        .guestlist(audit)
        .complains(&["source.json", "guestlist run --replay"]);
    bench.guestlist("run --replay");
    judge_again(&bench, "");
}
