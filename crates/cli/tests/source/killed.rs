//! Stopping at any moment loses no answer, and no question is paid for twice.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::bench::Bench;
use crate::service::{Odd, said};
use crate::world::{World, configure};

const CALM: &str = "[source]\nperturbations = 32\nearly_stopping = false\nrepeats = 0\n";

/// A service that takes a moment and remembers what it was asked, in which arm.
fn remembering() -> (Odd, Arc<Mutex<BTreeMap<String, usize>>>) {
    let asked: Arc<Mutex<BTreeMap<String, usize>>> = Arc::default();
    let memory = asked.clone();
    let odd = Odd::start(move |_, body, _| {
        std::thread::sleep(Duration::from_millis(5));
        let question = format!("{} {}", body["retrieval"], body["messages"]);
        *memory.lock().unwrap().entry(question).or_default() += 1;
        said("I don't know.")
    });
    (odd, asked)
}

#[test]
fn a_killed_run_goes_on_and_asks_nothing_twice_but_what_was_in_flight() {
    let (odd, asked) = remembering();
    let bench = Bench::new();
    World::new(4, 16).write(&bench, true);
    configure(&bench, odd.address, CALM);
    for _ in 0..3 {
        let mut child = bench
            .command("run")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = odd.count();
        while odd.count() < start + 100 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let said = bench.guestlist("run");
    assert!(matches!(said.code, Some(0 | 1 | 3)), "{}", said.stderr);
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 12 * 32 * 2);
    let twice: usize = asked.values().map(|count| count - 1).sum();
    assert!(twice <= 3 * 8, "{twice} questions were paid for twice");
}

#[test]
fn ctrl_c_keeps_what_came_and_says_how_much() {
    let (odd, _) = remembering();
    let bench = Bench::new();
    World::new(10, 16).write(&bench, true);
    configure(&bench, odd.address, CALM);
    let child = bench
        .command("run")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while odd.count() < 50 {
        std::thread::sleep(Duration::from_millis(5));
    }
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
        said.contains("answers are kept: run again to go on"),
        "{said}"
    );
}
