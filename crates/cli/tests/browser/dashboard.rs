//! The dashboard in a browser.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::npy::{flags, floats};
use crate::page::run;

/// A program that is ended with its test, whatever becomes of the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guestlist"));
    command
        .env_remove("GUESTLIST_TOKEN")
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn serve(folder: &Path, options: &[&str]) -> (Ended, String) {
    let mut child = program()
        .arg("serve")
        .arg(folder)
        .args(["--port", "0", "--json"])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    said.read_line(&mut line).unwrap();
    let event: Value = serde_json::from_str(&line).unwrap();
    let address = event["address"].as_str().unwrap().to_owned();
    (Ended(child), address)
}

/// Signals of 9 models and 260 records, from which members stand out by `gain`.
fn signals(folder: &Path, gain: f32) {
    let (models, records) = (9, 260);
    let mut state = 5u32;
    let mut draw = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    let keep: Vec<bool> = (0..models * records).map(|_| draw() < 0.5).collect();
    let phi: Vec<f32> = keep
        .iter()
        .map(|member| draw() + draw() + draw() + if *member { gain } else { 0.0 })
        .collect();
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("phi.npy"), floats(&[models, records], &phi)).unwrap();
    fs::write(folder.join("keep.npy"), flags(&[models, records], &keep)).unwrap();
}

fn audit(root: &Path, name: &str, gain: f32) {
    let given = tempfile::tempdir().unwrap();
    signals(given.path(), gain);
    let status = program()
        .arg("audit")
        .arg(given.path())
        .args(["--attacks", "lira,rmia", "--bootstrap", "0", "--out"])
        .arg(root.join(name))
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(matches!(status.code(), Some(0 | 1 | 3)));
}

/// Months of audits of two teams, one damaged report, and answers that would act if they could.
fn folder() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let audits = [
        ("vision/march", 0.1),
        ("vision/april", 0.5),
        ("vision/may", 0.2),
        ("tabular/march", 0.9),
        ("tabular/april", 1.4),
    ];
    for (place, (name, gain)) in audits.into_iter().enumerate() {
        audit(root.path(), name, gain);
        let report = fs::File::options()
            .append(true)
            .open(root.path().join(name).join("report.json"))
            .unwrap();
        let month = Duration::from_secs(30 * 86_400 * (6 - place as u64));
        report.set_modified(SystemTime::now() - month).unwrap();
    }
    fs::create_dir_all(root.path().join("old")).unwrap();
    fs::write(root.path().join("old/report.json"), "{\"schema\":").unwrap();
    let line = json!({
        "document": "0", "text": "</pre><script>window.acted = 1</script>", "strategy": "rag-ask",
        "query": "<img src=x onerror=\"window.acted = 2\">", "retrieval": true,
        "answer": "<script>window.acted = 3</script> <a href=\"javascript:window.acted = 4\">x</a>",
    });
    let transcript = root.path().join("tabular/april/transcript.jsonl");
    fs::write(transcript, format!("{line}\n")).unwrap();
    root
}

#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_dashboard_pages_work_and_are_inert() {
    let root = folder();
    let (_server, address) = serve(root.path(), &[]);
    run("dashboard.mjs", &[OsStr::new(&address)]);
}

#[test]
#[ignore = "needs Chromium"]
fn in_a_browser_dashboard_bars_move_while_an_audit_runs() {
    let root = tempfile::tempdir().unwrap();
    let live: PathBuf = root.path().join("live");
    fs::create_dir_all(&live).unwrap();
    let mut table = String::from("x,y,class\n");
    for at in 0..240u32 {
        let (x, y) = (at * 7919 % 101, at * 104_729 % 97);
        table += &format!("{x},{y},{}\n", if x + y > 100 { "yes" } else { "no" });
    }
    fs::write(live.join("data.csv"), table).unwrap();
    let configuration = "kind = \"classifier\"\n[data]\npath = \"data.csv\"\nlabel = \"class\"\n[models]\n\
         shadows = 40\n[audit]\nattacks = \"lira\"\n[training]\nhidden = [64]\nepochs = 4000\n[run]\nfolder = \".\"\nworkers = 1\n";
    fs::write(live.join("guestlist.toml"), configuration).unwrap();
    let (_server, address) = serve(root.path(), &["--allow-run"]);
    run("dashboard.live.mjs", &[OsStr::new(&address)]);
}
