//! `kill -9` at any moment loses nothing that was finished, and changes nothing.

#![cfg(unix)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench::Bench;

const KILLS: u64 = 30;
const RECIPE: &str = "epochs = 60";

#[test]
fn a_run_that_is_killed_thirty_times_ends_with_the_same_bytes() {
    let undisturbed = Bench::with(39, RECIPE);
    let started = Instant::now();
    undisturbed.guestlist("run");
    let whole = started.elapsed();
    let bench = Bench::with(39, RECIPE);
    let mut finished = bench.models();
    for kill in 0..KILLS {
        let mut child = bench
            .command("run")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Moments spread over the first eighth of a run, so that thirty of them fit into it.
        let moment = whole.mul_f64(((kill * 7) % KILLS) as f64 / KILLS as f64 / 8.0);
        std::thread::sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let now = bench.models();
        for (model, time) in &finished {
            assert_eq!(
                now.get(model),
                Some(time),
                "model {model} after kill {kill}"
            );
        }
        finished = now;
    }
    bench.guestlist("run");
    let last = bench.models();
    assert!(finished.iter().all(|(model, time)| last[model] == *time));
    let (calm, shaken) = (undisturbed.files(), bench.files());
    for path in shaken.keys() {
        assert!(calm.contains_key(path), "{} is left over", path.display());
    }
    for (path, bytes) in &calm {
        assert!(shaken[path] == *bytes, "{}", path.display());
    }
}

#[test]
fn ctrl_c_keeps_what_is_finished_and_says_how_much() {
    let bench = Bench::with(20, "epochs = 300");
    let mut child = bench
        .command("run --workers 1")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while bench.models().len() < 2 {
        assert!(child.try_wait().unwrap().is_none());
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
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(130), "{said}");
    assert!(
        said.contains("of 21 models are kept: run again to go on"),
        "{said}"
    );
    assert!(!bench.path("guestlist-run/report.json").exists());
    assert_eq!(
        std::fs::read_dir(bench.path("guestlist-run/work"))
            .unwrap()
            .count(),
        0
    );
}

#[test]
fn a_full_disk_is_named_and_nothing_half_written_stays() {
    let bench = Bench::with(4, "epochs = 1");
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" run --quiet";
    let output = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_guestlist")])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("cannot be written") && said.contains("hint: "),
        "{said}"
    );
    assert!(bench.models().is_empty());
    let said = bench.guestlist("run");
    assert!(said.code != Some(2), "{}", said.stderr);
    assert_eq!(bench.models().len(), 5);
}
