//! Ctrl-C at any point: exit code 130, no report, no leftovers.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::common::{Desk, PATIENCE};
use crate::signals::Signals;

/// An audit that works for many seconds and says in events how far it is.
fn long_audit(desk: &Desk) -> Child {
    Command::new(env!("CARGO_BIN_EXE_guestlist"))
        .current_dir(desk.path(""))
        .args("audit signals --attacks elsa1,elsa-full --replicates 40".split(' '))
        .args("--scaling 16,32,48,56,60,64 --threads 1 --out out --json".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn interrupt(child: &Child) {
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
}

/// The exit code, or none if the program does not end.
fn code_of(mut child: Child) -> Option<i32> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().unwrap();
    None
}

/// Interrupts once the named phase was announced so many times; hands the last event back.
fn stopped_in(desk: &Desk, phase: &str, times: usize) -> String {
    let mut child = long_audit(desk);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let wanted = format!("\"event\":\"phase\",\"phase\":\"{phase}\"");
    let seen = lines
        .by_ref()
        .map(Result::unwrap)
        .filter(|line| line.contains(&wanted));
    assert_eq!(seen.take(times).count(), times);
    interrupt(&child);
    let last = lines.map(Result::unwrap).last().unwrap();
    assert_eq!(code_of(child), Some(130));
    last
}

/// As `nohup` starts a program, and as shells start jobs in the background; any other signal still stops it.
#[test]
fn a_signal_that_was_ignored_from_the_start_stays_ignored() {
    let desk = Desk::with(&Signals::new(65, 20_000, 1.0));
    let mut shell = Command::new("sh");
    let binary = env!("CARGO_BIN_EXE_guestlist");
    let audit = "audit signals --attacks elsa1,elsa-full --replicates 40 --threads 1 --json";
    let mut child = shell
        .args(["-c", &format!("trap '' HUP INT; exec {binary} {audit}")])
        .current_dir(desk.path(""))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let begun = |line: &String| line.contains("\"phase\":\"attacking\"");
    assert!(lines.by_ref().map(Result::unwrap).any(|line| begun(&line)));
    let send = |signal: &str| {
        let pid = child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status();
        assert!(sent.unwrap().success());
    };
    send("-HUP");
    send("-INT");
    // Work goes on; where one of them had counted, the second would have ended it at once.
    let after: Vec<String> = lines.by_ref().take(3).map(Result::unwrap).collect();
    assert!(
        after.len() == 3 && !after.concat().contains("exit_code"),
        "{after:?}"
    );
    send("-TERM");
    let last = lines.map(Result::unwrap).last().unwrap();
    assert!(last.contains("\"exit_code\":130"), "{last}");
    assert_eq!(code_of(child), Some(130));
}

#[test]
fn an_audit_stops_wherever_it_is_and_leaves_nothing() {
    let desk = Desk::with(&Signals::new(65, 20_000, 1.0));
    for (phase, times) in [("attacking", 1), ("judging", 1), ("attacking", 3)] {
        let last = stopped_in(&desk, phase, times);
        assert!(last.contains("\"exit_code\":130"), "{last}");
        assert_eq!(desk.names(""), ["signals"], "after {phase} {times}");
    }
}

#[test]
fn an_earlier_report_outlives_an_interrupted_audit() {
    let desk = Desk::with(&Signals::new(65, 20_000, 1.0));
    fs::create_dir(desk.path("out")).unwrap();
    fs::write(desk.path("out/report.json"), "earlier").unwrap();
    stopped_in(&desk, "attacking", 1);
    assert_eq!(desk.names("out"), ["report.json"]);
    assert_eq!(desk.bytes("out/report.json"), b"earlier");
}
