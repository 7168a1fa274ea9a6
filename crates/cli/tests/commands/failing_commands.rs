//! Training programs that fail in every way: tried again, reported, and nobody else's loss.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::common::{Desk, Output};
use crate::hostile_text::harmless;
use crate::npy::{floats, integers, npy};
use crate::programs::{RECORDS, attempts, desk, kept, trains};

const FAILED: usize = 2;

/// Model 2 misbehaves, is tried three times and given up; the others are kept. Once the script is
/// mended, the next run trains model 2 and no other.
#[track_caller]
fn fails_alone(desk: &Desk, misdeed: &str, words: &str) -> Output {
    trains(
        desk,
        &format!("if [ $model = {FAILED} ]; then echo last words; {misdeed}; else good; fi"),
    );
    let said = desk.guestlist("run").exits(2);
    assert_eq!(attempts(desk)[FAILED], 3, "{}", said.stderr);
    let parts = [
        "model 2 failed, trying again: ",
        "model 2 failed, given up: ",
        words,
        "    --- model 2, attempt 3",
        "    last words",
        "guestlist-run/logs/00002.log)",
        "1 of 5 models could not be trained; hint: mend the cause and run again: the 4 others",
    ];
    for part in parts {
        assert!(said.stderr.contains(part), "{part:?}: {}", said.stderr);
    }
    assert_eq!(kept(desk), ["00000", "00001", "00003", "00004"]);
    assert!(desk.names("guestlist-run/work").is_empty());
    assert!(!desk.path("guestlist-run/report.json").exists());
    trains(desk, "good");
    let again = desk.guestlist("run").exits(0);
    assert!(again.stderr.contains("training 1 of 5"), "{}", again.stderr);
    assert_eq!(attempts(desk), [0, 0, 1, 0, 0]);
    assert!(desk.path("guestlist-run/report.json").exists());
    said
}

/// Model 2 writes these bytes.
#[track_caller]
fn writes(bytes: &[u8], words: &str) {
    let desk = desk("retries = 2");
    fs::write(desk.path("wrong"), bytes).unwrap();
    fails_alone(&desk, "cp wrong \"$GUESTLIST_OUTPUT\"", words);
}

#[test]
fn a_program_that_exits_with_an_error() {
    fails_alone(&desk("retries = 2"), "exit 3", "exit status: 3");
}

#[test]
fn a_program_that_is_killed() {
    fails_alone(&desk("retries = 2"), "kill -9 $$", "signal: 9 (SIGKILL)");
}

#[test]
fn a_program_that_hangs() {
    let desk = desk("retries = 2\ntimeout = 1");
    let words = "ended after 1 seconds; hint: raise command.timeout";
    fails_alone(&desk, "sleep 600", words);
}

#[test]
fn a_program_that_writes_nothing() {
    fails_alone(&desk("retries = 2"), "true", "no output was written");
}

#[test]
fn an_output_that_is_a_folder_or_a_pipe() {
    let folder = "mkdir \"$GUESTLIST_OUTPUT\"";
    fails_alone(&desk("retries = 2"), folder, "is not a file");
    let pipe = "mkfifo \"$GUESTLIST_OUTPUT\"";
    fails_alone(&desk("retries = 2"), pipe, "is not a file");
}

#[test]
fn an_output_that_is_no_array() {
    writes(
        b"0.3 0.7\n",
        "output.npy: output: does not start as a .npy file does",
    );
    writes(b"", "output.npy: is an empty file");
    let whole = floats(&[RECORDS], &[0.5; RECORDS]);
    writes(&whole[..whole.len() - 1], "output.npy: output");
}

#[test]
fn an_output_of_another_shape() {
    let wanted = "wanted [400] or [400, augmentations]; hint: write one row per record";
    let short = floats(&[RECORDS - 1], &[0.5; RECORDS - 1]);
    writes(&short, &format!("has shape [399]; {wanted}"));
    let none = floats(&[RECORDS, 0], &[]);
    writes(&none, "output is empty: its shape is [400, 0]");
    writes(&floats(&[], &[0.5]), &format!("has shape []; {wanted}"));
}

#[test]
fn an_output_that_is_not_finite() {
    let mut values = vec![0.5; RECORDS];
    values[7] = f32::NAN;
    let words = "the output at [7] is not a finite number; hint: check the training";
    writes(&floats(&[RECORDS], &values), words);
    values[7] = f32::NEG_INFINITY;
    writes(&floats(&[RECORDS], &values), words);
}

#[test]
fn an_output_beyond_single_precision() {
    let mut values = vec![0.5; RECORDS];
    values[7] = 1e300;
    let bytes = values.iter().flat_map(|v: &f64| v.to_le_bytes()).collect();
    let words = "φ of record 7 is too large";
    writes(&npy("<f8", &[RECORDS], bytes), words);
}

#[test]
fn an_output_of_whole_numbers() {
    writes(&integers(&[RECORDS], &[1; RECORDS]), "int64");
}

#[test]
fn failures_are_events_for_programs() {
    let desk = desk("retries = 1");
    trains(
        &desk,
        "if [ $model = 2 ]; then echo last words; exit 3; fi; good",
    );
    let said = desk.guestlist("run --json").exits(2);
    let events = said.events();
    let state = |again: bool| {
        let wanted = |event: &&serde_json::Value| {
            event["state"] == "failed" && event["model"] == 2 && event["again"] == again
        };
        events.iter().filter(wanted).count()
    };
    assert_eq!((state(true), state(false)), (1, 1));
    let failed = events.iter().find(|event| event["event"] == "failed");
    let failed = failed.expect("an event that sums the failure up");
    assert_eq!(failed["model"], 2);
    let tail = failed["tail"].as_str().unwrap();
    assert!(tail.ends_with("last words"), "{tail}");
    assert_eq!(events.last().unwrap()["exit_code"], 2);
}

#[test]
fn last_words_do_not_act_on_the_terminal() {
    let desk = desk("retries = 0");
    let words = r#"printf '\033[2J\033]0;owned\007 last\rwords \342\200\256 \377\n'; exit 1"#;
    trains(&desk, &format!("if [ $model = 2 ]; then {words}; fi; good"));
    let said = desk.guestlist("run").exits(2);
    harmless(&said);
    assert!(said.stderr.contains("owned"), "{}", said.stderr);
    harmless(&desk.guestlist("run --json").exits(2));
}

#[test]
fn a_secret_reaches_the_program_and_no_file() {
    const SECRET: &str = "hunter2-hunter2";
    let desk = desk("retries = 0\nenvironment = { KEY = \"Bearer ${TOKEN}\" }");
    let script = format!(
        "[ \"$KEY\" = \"Bearer {SECRET}\" ] || exit 1\nif [ $model = 2 ]; then exit 3; fi; good"
    );
    trains(&desk, &script);
    let refused = desk.guestlist("run").exits(2);
    assert!(
        refused
            .stderr
            .contains("command.environment.KEY needs ${TOKEN}, which is not set"),
        "{}",
        refused.stderr
    );
    assert!(!desk.path("guestlist-run").exists());
    let run = |code: i32| {
        let said = desk.run_with(&[("TOKEN", OsStr::new(SECRET))], ["run", "--json"]);
        let said = said.exits(code);
        assert!(!said.stdout.contains(SECRET) && !said.stderr.contains(SECRET));
        nowhere(&desk.path("guestlist-run"), SECRET.as_bytes());
    };
    run(2);
    trains(&desk, &script.replace("exit 3", "good"));
    run(0);
    let plan = desk.json("guestlist-run/plan.json");
    assert_eq!(
        plan["settings"]["command"]["environment"]["KEY"],
        "Bearer ${TOKEN}"
    );
}

/// No file in the folder holds these bytes.
#[track_caller]
fn nowhere(folder: &Path, secret: &[u8]) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            nowhere(&path, secret);
        } else {
            let bytes = fs::read(&path).unwrap();
            let found = bytes.windows(secret.len()).any(|window| window == secret);
            assert!(!found, "{}", path.display());
        }
    }
}

#[test]
fn every_worker_has_its_own_device() {
    let desk = desk("gpus = [\"0\", \"1\"]\nmodels_per_gpu = 2");
    // The first four wait for each other, so that all are at work at once.
    let script = ": > \"here-$model-$CUDA_VISIBLE_DEVICES\"\n\
                  while [ $(ls here-* | wc -l) -lt 4 ]; do sleep 0.05; done\ngood";
    trains(&desk, script);
    desk.guestlist("run").exits(0);
    let mut here = desk.names("");
    here.retain(|name| name.starts_with("here-"));
    let devices: Vec<&str> = here[..4]
        .iter()
        .map(|name| &name["here-0-".len()..])
        .collect();
    assert_eq!(devices.iter().filter(|d| **d == "0").count(), 2, "{here:?}");
    assert_eq!(devices.iter().filter(|d| **d == "1").count(), 2, "{here:?}");
}

#[test]
fn what_cannot_work_is_refused_before_anything_is_trained() {
    let refused = |settings: &str, words: &str| {
        let said = desk(settings).guestlist("run").exits(2);
        assert!(said.stderr.contains(words), "{words:?}: {}", said.stderr);
    };
    refused("timeout = 0", "command.timeout is 0");
    refused("models_per_gpu = 0", "command.models_per_gpu is 0");
    refused("folder = \"nowhere\"", "command.folder is not a folder");
    refused("code = [\"none.py\"]", "none.py");
    refused("[training]\nepochs = 1", "are both there");
}
