//! Ctrl-C and worse while programs train: they end too, and finished models stay.

#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Desk, PATIENCE};
use crate::programs::{attempts, desk, kept, trains};

/// Models 0 and 1 are quick; 2 and 3 never end, with a child each.
const ENDLESS: &str = "if [ $model -lt 2 ]; then good; exit; fi
sleep 600 &
echo $$ $! > pids.$model.part
mv pids.$model.part pids.$model
wait";

/// A run that hangs, and the programs that hang in it, each with its child.
fn hanging(desk: &Desk) -> (Child, Vec<[u32; 2]>) {
    trains(desk, ENDLESS);
    let child = Command::new(env!("CARGO_BIN_EXE_guestlist"))
        .current_dir(desk.path(""))
        .args(["run", "--workers", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until(|| {
        [2, 3]
            .iter()
            .all(|model| desk.path(format!("pids.{model}")).exists())
    });
    let pids = [2, 3].map(|model| {
        let text = fs::read_to_string(desk.path(format!("pids.{model}"))).unwrap();
        let mut pids = text.split_whitespace().map(|pid| pid.parse().unwrap());
        [pids.next().unwrap(), pids.next().unwrap()]
    });
    (child, pids.to_vec())
}

#[track_caller]
fn until(done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < PATIENCE, "waited in vain");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(name: &str, pid: u32) -> bool {
    let status = Command::new("kill")
        .args([name, &pid.to_string()])
        .stderr(Stdio::null())
        .status();
    status.unwrap().success()
}

/// Not there, or there only until somebody takes note of its end.
fn is_gone(pid: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !signal("-0", pid) || status.contains(") Z ")
}

#[test]
fn ctrl_c_ends_the_programs_and_keeps_what_is_finished() {
    let desk = desk("");
    let (mut child, pids) = hanging(&desk);
    assert!(signal("-INT", child.id()));
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let mut said = String::new();
    child.stderr.unwrap().read_to_string(&mut said).unwrap();
    assert!(
        said.contains("interrupted; 2 of 5 models are kept: run again to go on"),
        "{said}"
    );
    for pid in pids.iter().flatten() {
        until(|| is_gone(*pid));
    }
    assert_eq!(kept(&desk), ["00000", "00001"]);
    assert!(desk.names("guestlist-run/work").is_empty());
    assert_eq!(attempts(&desk), [1, 1, 1, 1, 0]);
    trains(&desk, "good");
    desk.guestlist("run").exits(0);
    assert_eq!(attempts(&desk), [0, 0, 1, 1, 1]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_killed_run_takes_its_programs_along_and_goes_on_later() {
    let desk = desk("");
    let (mut child, pids) = hanging(&desk);
    child.kill().unwrap();
    child.wait().unwrap();
    for [program, grandchild] in pids {
        until(|| is_gone(program));
        // The kernel tells the program; what the program started is its own affair.
        signal("-KILL", grandchild);
    }
    assert_eq!(kept(&desk), ["00000", "00001"]);
    attempts(&desk);
    trains(&desk, "good");
    desk.guestlist("run").exits(0);
    assert_eq!(attempts(&desk), [0, 0, 1, 1, 1]);
    assert!(desk.names("guestlist-run/work").is_empty());
}
