//! Ctrl-C in the middle of the episodes: exit code 130, no report.

#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::bench::Bench;
use crate::vectors::Vectors;

#[test]
fn an_interrupted_audit_leaves_nothing() {
    let desk = Bench::new();
    desk.write("large.npz", &Vectors::new(2000, 60, 1.0).npz());
    let mut child = Command::new(env!("CARGO_BIN_EXE_guestlist"))
        .current_dir(desk.path(""))
        .args("audit large.npz --kind fewshot --runs 8000 --out out --json".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = lines.by_ref().map(Result::unwrap);
    assert!(begun.take(1).all(|line| line.contains("episodes")));
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-INT", &pid]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!desk.path("out").exists());
}
