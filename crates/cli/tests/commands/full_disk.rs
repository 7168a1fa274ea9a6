//! A full disk: said with the file's name, nothing half-written stays, what was there survives.

#![cfg(unix)]

use std::process::{Command, Output, Stdio};

use crate::common::Desk;
use crate::signals::Signals;

/// Runs the program with files limited to so many KiB; a write beyond that fails.
fn with_room_for(kibibytes: u32, desk: &Desk, arguments: &str) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" {arguments}");
    Command::new("bash")
        .args(["-c", &script, env!("CARGO_BIN_EXE_guestlist")])
        .current_dir(desk.path(""))
        .output()
        .unwrap()
}

#[track_caller]
fn refused(output: &Output, file: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in [file, "cannot be written", "hint: ", "room"] {
        assert!(said.contains(part), "{part:?} is not in: {said}");
    }
}

#[test]
fn an_audit_without_room_leaves_nothing() {
    let desk = Desk::with(&Signals::leaky());
    let output = with_room_for(8, &desk, "audit signals --out out --quiet");
    refused(&output, "out/scores.parquet");
    assert_eq!(desk.names(""), ["signals"]);
}

#[test]
fn a_report_that_does_not_fit_beside_its_scores_leaves_neither() {
    let desk = Desk::with(&Signals::leaky());
    let arguments = "audit signals --attacks loss,lira --out out --quiet";
    desk.guestlist(arguments).exits(1);
    let sizes =
        ["scores.parquet", "report.json"].map(|file| desk.bytes(format!("out/{file}")).len());
    let room = sizes[0].div_ceil(1024);
    assert!(room * 1024 < sizes[1], "{sizes:?}");
    let fresh = Desk::with(&Signals::leaky());
    refused(
        &with_room_for(room as u32, &fresh, arguments),
        "out/report.json",
    );
    assert_eq!(fresh.names(""), ["signals"]);
}

#[test]
fn an_earlier_report_outlives_a_full_disk() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --out out --seed 1 --quiet")
        .exits(1);
    let before = ["report.html", "report.json", "scores.parquet"]
        .map(|file| desk.bytes(format!("out/{file}")));
    let output = with_room_for(8, &desk, "audit signals --out out --seed 2 --quiet");
    refused(&output, "out/scores.parquet");
    let after = ["report.html", "report.json", "scores.parquet"]
        .map(|file| desk.bytes(format!("out/{file}")));
    assert!(before == after);
    assert_eq!(
        desk.names("out"),
        ["SHA256SUMS", "report.html", "report.json", "scores.parquet"]
    );
}

#[test]
fn a_conversion_without_room_leaves_nothing() {
    let desk = Desk::with(&Signals::leaky());
    for output in ["a.npz", "a.safetensors", "a.parquet", "a/phi.npy"] {
        let target = output.trim_end_matches("/phi.npy");
        refused(
            &with_room_for(4, &desk, &format!("convert signals {target}")),
            output,
        );
        assert_eq!(desk.names(""), ["signals"], "after {output}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn data_that_cannot_be_written_to_stdout_is_an_error() {
    let desk = Desk::with(&Signals::leaky());
    desk.guestlist("audit signals --attacks loss --out out --quiet")
        .exits(1);
    for arguments in [
        "report out --format json",
        "attacks",
        "completions bash",
        "audit signals --attacks loss --out again --json",
        "diff out out --json",
        "verify out --json",
        "attacks --json",
    ] {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let output = Command::new(env!("CARGO_BIN_EXE_guestlist"))
            .current_dir(desk.path(""))
            .args(arguments.split(' '))
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = String::from_utf8_lossy(&output.stderr);
        let words = "standard output cannot be written";
        assert_eq!(said.matches(words).count(), 1, "{arguments}: {said}");
    }
}
