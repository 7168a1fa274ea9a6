//! Documents with invented facts: put into the store and found again, an audit has tested something.

use rehearsal::Document;
use serde_json::Value;

use crate::bench::Bench;
use crate::service::{Odd, configure, documents, http, pass_on, said, serve, write_documents};

const ATTACKS: &str = "[probes]\nwithout_retrieval = false\n[audit]\nattacks = \"content,facts,refusals,rank-average,cross-fitted\"\nbootstrap = 0";

/// A folder with documents, and controls as `init` writes them.
pub fn ready() -> (Bench, Vec<Document>) {
    let bench = Bench::new();
    write_documents(&bench, 60);
    let said = bench.guestlist("init rag --controls 4").exits(0);
    assert!(
        said.stderr.contains("index the controls"),
        "{}",
        said.stderr
    );
    let rows = std::fs::read_to_string(bench.path("controls.jsonl")).unwrap();
    let document = |row: &str| {
        let row: Value = serde_json::from_str(row).unwrap();
        Document {
            id: row["id"].as_str().unwrap().into(),
            title: None,
            text: row["text"].as_str().unwrap().into(),
        }
    };
    let controls: Vec<Document> = rows.lines().map(document).collect();
    assert_eq!(controls.len(), 4);
    (bench, controls)
}

pub fn configured(bench: &Bench, address: std::net::SocketAddr) {
    configure(bench, address, ATTACKS);
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    let config = config.replace("[target]", "controls = \"controls.jsonl\"\n[target]");
    // What the machine does meanwhile is no part of this.
    let untimed = "[audit.settings]\n\"cross-fitted.latency\" = \"no\"";
    let config = config.replace("[audit.settings]", untimed);
    bench.write("guestlist.toml", &config);
}

pub fn finding<'a>(report: &'a Value, id: &str) -> &'a Value {
    let findings = report["guardrails"].as_array().unwrap();
    findings.iter().find(|finding| finding["id"] == id).unwrap()
}

#[test]
fn controls_that_are_found_again_let_a_clean_audit_pass() {
    let (bench, controls) = ready();
    let store = documents(1000..1200).into_iter().chain(controls).collect();
    let running = serve(store, &["hide-citations"]);
    configured(&bench, running.address());
    let planned = bench.guestlist("plan").exits(0);
    let words: Vec<&str> = planned.stdout.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("16 questions about 4 documents with invented facts"),
        "{words}"
    );
    bench.guestlist("run").exits(0);
    let report = bench.json("guestlist-run/report.json");
    let found = finding(&report, "controls");
    assert_eq!(found["detail"], "4 of 4 controls were found again");
    // They are in no measure, and a transcript has them, too.
    let attack = &report["attacks"][0];
    assert_eq!(attack["auc"]["n_members"].as_u64().unwrap(), 60, "{attack}");
    bench
        .guestlist("audit guestlist-run/transcript.jsonl --out again --attacks content,facts,refusals,rank-average,cross-fitted --set cross-fitted.latency=no")
        .exits(0);
    let again = bench.json("again/report.json");
    assert_eq!(finding(&again, "controls"), found);
    assert_eq!(again["attacks"].as_array().unwrap().len(), 5);
}

/// A store that gives everything away, for as long as it takes to ask for the controls once.
#[test]
fn a_store_that_is_emptied_after_the_first_answers_gets_no_pass() {
    let (bench, controls) = ready();
    let members = documents(0..120).into_iter().step_by(2);
    let store = members.chain(controls).collect();
    let running = serve(store, &["hide-citations"]);
    let behind = running.address();
    let odd = Odd::start(move |_, body, number| match number <= 12 {
        true => http("200 OK", "application/json", &pass_on(behind, body)),
        false => said("I don't know."),
    });
    configured(&bench, odd.address);
    let answer = bench.guestlist("run").exits(3);
    let report = bench.json("guestlist-run/report.json");
    let found = finding(&report, "controls");
    assert_eq!(found["status"], "violated", "{}", answer.stdout);
    let words = found["detail"].as_str().unwrap();
    assert!(words.contains("changed while it was asked"), "{words}");
    // As much is known to whoever judges the transcript.
    bench
        .guestlist("audit guestlist-run/transcript.jsonl --out again")
        .exits(3);
    assert_eq!(finding(&bench.json("again/report.json"), "controls"), found);
}

#[test]
fn controls_that_are_not_found_take_a_pass_away() {
    let (bench, _) = ready();
    let running = serve(documents(1000..1200), &["hide-citations"]);
    configured(&bench, running.address());
    let said = bench.guestlist("run").exits(3);
    let words: Vec<&str> = said.stdout.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("0 of 4 controls were found again, and at least half must be"),
        "{words}"
    );
    assert!(
        words.contains("index the documents of documents.controls"),
        "{words}"
    );
}

#[test]
fn controls_are_written_beside_a_configuration_that_is_there() {
    let bench = Bench::new();
    bench.write("guestlist.toml", "kind = \"rag\"\n");
    let said = bench.guestlist("init rag --controls").exits(0);
    assert!(
        said.stderr.contains("add controls = \"controls.jsonl\""),
        "{}",
        said.stderr
    );
    let config = std::fs::read_to_string(bench.path("guestlist.toml")).unwrap();
    assert_eq!(config, "kind = \"rag\"\n");
    let rows = std::fs::read_to_string(bench.path("controls.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 5);
    bench
        .guestlist("init rag --controls")
        .complains(&["controls.jsonl", "exists already"]);
    bench
        .guestlist("init lm --controls --out other.toml")
        .complains(&["--controls", "init rag"]);
}
