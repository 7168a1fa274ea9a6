//! Stopping at any moment loses nothing that was scored, and changes nothing.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::bench::Bench;
use crate::shelf;

/// Starts a run and waits until this many texts of a pass are scored.
fn until(bench: &Bench, phase: &str, texts: u64) -> Child {
    let mut child = bench
        .command("run --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for line in lines {
        let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
        if event["event"] == "progress"
            && event["phase"] == phase
            && event["texts"].as_u64() >= Some(texts)
        {
            return child;
        }
    }
    child.wait().unwrap();
    panic!("the run ended before {texts} texts of {phase} were scored");
}

/// Texts that each pass of a run found in the store.
fn found_again(events: &str, phase: &str) -> Option<u64> {
    let events = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    events
        .filter(|event| event["event"] == "scored-before" && event["phase"] == phase)
        .find_map(|event| event["texts"].as_u64())
}

#[test]
fn a_killed_run_of_a_thousand_texts_goes_on_where_it_was() {
    let calm = shelf::ready(500, "[scoring]\nlowercase = false");
    calm.guestlist("run").exits(1);
    let shaken = shelf::ready(500, "[scoring]\nlowercase = false");
    let mut child = until(&shaken, "target", 300);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut child = until(&shaken, "reference", 500);
    child.kill().unwrap();
    child.wait().unwrap();
    let said = shaken.guestlist("run --json").exits(1);
    assert_eq!(found_again(&said.stdout, "target"), Some(1000));
    let found = found_again(&said.stdout, "reference").unwrap();
    assert!((500..1000).contains(&found), "{found}");
    for file in ["report.json", "scores.parquet", "tokens.parquet"] {
        let read = |bench: &Bench| std::fs::read(bench.path(format!("guestlist-run/{file}")));
        assert!(read(&calm).unwrap() == read(&shaken).unwrap(), "{file}");
    }
    // Everything is there: nothing is scored again.
    let said = shaken.guestlist("run --json").exits(1);
    assert!(
        !said
            .stdout
            .contains("\"event\":\"progress\",\"phase\":\"target\"")
    );
    assert_eq!(found_again(&said.stdout, "reference"), Some(1000));
}

#[test]
fn ctrl_c_keeps_what_was_scored_and_says_how_much() {
    let bench = shelf::ready(500, "");
    let child = until(&bench, "target", 100);
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("scored texts are kept: run again to go on"),
        "{said}"
    );
    let plan = bench.guestlist("plan --json").exits(0).stdout;
    let plan: Value = plan
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|event| event["event"] == "plan")
        .unwrap();
    assert!(plan["passes"][0]["done"].as_u64().unwrap() >= 100, "{plan}");
}

#[test]
fn two_runs_in_one_folder_are_refused() {
    let bench = shelf::ready(500, "");
    let mut child = until(&bench, "target", 100);
    bench
        .guestlist("run")
        .complains(&["another guestlist run is at work"]);
    child.kill().unwrap();
    child.wait().unwrap();
}
