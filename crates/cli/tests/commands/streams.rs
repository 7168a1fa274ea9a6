//! What goes to stdout, what to stderr, and what nowhere.

use std::fs;
use std::process::{Command, Stdio};

use crate::common::{Desk, program};
use crate::signals::Signals;

const AUDIT: &str = "audit signals --attacks loss,lira --bootstrap 0 --out out";

#[test]
fn events_are_one_json_object_per_line_and_end_with_the_verdict() {
    let desk = Desk::with(&Signals::leaky());
    let said = desk.guestlist(&format!("{AUDIT} --json")).exits(1);
    assert_eq!(said.stderr, "");
    let events = said.events();
    let phases: Vec<_> = events
        .iter()
        .filter(|event| event["event"] == "phase")
        .map(|event| &event["phase"])
        .collect();
    assert_eq!(phases, ["attacking", "judging"]);
    for event in events.iter().filter(|event| event["event"] == "progress") {
        let share = event["share"].as_f64().unwrap();
        assert!(share > 0.0 && share <= 1.0, "{event}");
    }
    let verdict = events.last().unwrap();
    assert_eq!(
        (&verdict["event"], &verdict["outcome"]),
        (&"verdict".into(), &"fail".into())
    );
    let files = verdict["files"].as_array().unwrap();
    let named = files.iter().map(|file| file.as_str().unwrap());
    let mut named: Vec<&str> = named.collect();
    named.sort_unstable();
    let expected = [
        "out/SHA256SUMS",
        "out/report.html",
        "out/report.json",
        "out/scores.parquet",
    ];
    assert_eq!(named, expected);
}

#[test]
fn an_error_is_an_event_too() {
    let said = Desk::new().guestlist("audit nowhere.npz --json").exits(2);
    let events = said.events();
    assert_eq!(events.len(), 1);
    assert_eq!(
        (&events[0]["event"], &events[0]["exit_code"]),
        (&"error".into(), &2.into())
    );
    assert!(
        events[0]["message"]
            .as_str()
            .unwrap()
            .contains("nowhere.npz")
    );
    assert!(said.stderr.contains("nowhere.npz"));
}

#[test]
fn every_command_speaks_json_lines_when_asked_to() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(&format!("{AUDIT} --quiet")).exits(1);
    for command in [
        "attacks",
        "diff out out",
        "convert signals a.npz",
        "demo --out demo",
    ] {
        let events = desk
            .guestlist(&format!("{command} --json"))
            .exits(0)
            .events();
        assert!(!events.is_empty(), "{command}");
    }
}

#[test]
fn an_explanation_is_an_event_when_asked_for_as_one() {
    let events = Desk::new()
        .guestlist("explain lira --json")
        .exits(0)
        .events();
    assert!(
        events.iter().any(|event| event["id"] == "lira"),
        "{events:?}"
    );
}

#[test]
fn quiet_leaves_nothing_but_the_verdict_files_and_errors() {
    let desk = Desk::with(&Signals::leaky());
    for (command, code, begins) in [
        (AUDIT, 1, "✘ FAIL: an attacker who "),
        ("report out", 0, "✘ FAIL: an attacker who "),
        ("diff out out", 0, "PASS: "),
        ("convert signals a.npz", 0, ""),
        ("demo --out demo", 0, "✘ FAIL: an attacker who "),
    ] {
        let said = desk.guestlist(&format!("{command} --quiet")).exits(code);
        assert_eq!(said.stderr, "", "{command}");
        let lines: Vec<&str> = said.stdout.lines().collect();
        assert_eq!(lines.len(), usize::from(!begins.is_empty()), "{lines:?}");
        assert!(said.stdout.starts_with(begins), "{lines:?}");
        // With the line of the report that people see first.
        assert!(said.stdout.is_empty() || said.stdout.ends_with('\n'));
    }
    let said = desk.guestlist("audit nowhere.npz --quiet").exits(2);
    assert!(
        said.stdout.is_empty() && said.stderr.starts_with("error: "),
        "{}",
        said.stderr
    );
}

#[test]
fn the_report_is_data_and_everything_else_is_not() {
    let desk = Desk::with(&Signals::leaky());
    let said = desk.guestlist(AUDIT).exits(1);
    assert!(said.stdout.contains("FAIL") && !said.stdout.contains("wrote"));
    assert!(
        said.stderr.contains("wrote out/report.json"),
        "{}",
        said.stderr
    );
}

#[test]
fn what_is_piped_is_never_coloured() {
    let desk = Desk::with(&Signals::leaky());
    let said = desk.guestlist(AUDIT).exits(1);
    assert!(!said.stdout.contains('\u{1b}') && !said.stderr.contains('\u{1b}'));
}

#[test]
fn the_width_of_the_terminal_is_kept() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(&format!("{AUDIT} --quiet")).exits(1);
    let widest = |columns: &str| {
        let output = program()
            .current_dir(desk.path(""))
            .args(["report", "out"])
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        text.lines().map(|line| line.chars().count()).max().unwrap()
    };
    for columns in [50, 60, 80, 120] {
        assert!(widest(&columns.to_string()) <= columns);
    }
    assert!(widest("120") > 80);
    // Where nobody says how wide it is.
    assert_eq!(widest("nonsense"), widest("80"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_is_coloured_unless_no_color_is_set() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(&format!("{AUDIT} --quiet")).exits(1);
    let on_a_terminal = |no_color: &str, term: &str| {
        let command = format!("{} report out", env!("CARGO_BIN_EXE_guestlist"));
        let output = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(desk.path(""))
            .env("NO_COLOR", no_color)
            .env("TERM", term)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(on_a_terminal("", "xterm").contains("\u{1b}[1;31m✘ FAIL\u{1b}[0m"));
    assert!(!on_a_terminal("1", "xterm").contains('\u{1b}'));
    assert!(!on_a_terminal("", "dumb").contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[test]
fn what_cannot_be_written_is_an_error_for_help_and_version_too() {
    for option in ["--version", "--help"] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let said = Command::new(env!("CARGO_BIN_EXE_guestlist"))
            .arg(option)
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(said.status.code(), Some(2), "{option}");
        let said = String::from_utf8(said.stderr).unwrap();
        assert!(said.contains("standard output cannot be written"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_before_anybody_waits_for_its_writer() {
    let desk = Desk::with(&Signals::leaky());
    let made = Command::new("mkfifo").arg(desk.path("pipe")).status();
    assert!(made.unwrap().success());
    for arguments in [
        "audit pipe",
        "audit pipe --kind scores",
        "audit pipe --kind lm",
        "audit pipe --kind fewshot",
        "audit pipe --format npz",
        "audit signals --members pipe",
        "audit signals --slice x --records pipe",
        "convert pipe out.npz",
    ] {
        let said = desk.guestlist(arguments).exits(2);
        assert!(
            said.stderr.contains("pipe: is a pipe"),
            "{arguments}: {}",
            said.stderr
        );
        assert!(
            said.stderr.contains("write it to a file first"),
            "{}",
            said.stderr
        );
    }
    let piped = format!(
        "printf x | {} audit /dev/stdin",
        env!("CARGO_BIN_EXE_guestlist")
    );
    let said = Command::new("sh").args(["-c", &piped]).output().unwrap();
    assert_eq!(said.status.code(), Some(2));
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("/dev/stdin: is a pipe"), "{said}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_reason_to_panic() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist(&format!("{AUDIT} --quiet")).exits(1);
    let commands = [
        "attacks",
        "attacks --json",
        "completions bash",
        "report out",
        "--help",
        "audit signals",
    ];
    for command in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_guestlist"))
            .current_dir(desk.path(""))
            .args(command.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{command}: {said}"
        );
        assert!(!said.contains("panicked"), "{command}: {said}");
    }
}

#[test]
fn an_audit_without_out_writes_no_file() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --attacks loss").exits(1);
    assert_eq!(desk.names(""), ["signals"]);
    assert_eq!(fs::read_dir(desk.path("signals")).unwrap().count(), 2);
}
