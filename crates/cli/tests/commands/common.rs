//! A folder to work in, the program to run there, and what came of it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

use crate::signals::Signals;

/// Longer than any command takes, so that a hanging one fails its test.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The program, deaf to what the developer's shell has set.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guestlist"));
    command.timeout(PATIENCE);
    // One day for all: two audits are compared, and midnight may lie between them.
    command.env("SOURCE_DATE_EPOCH", "1773014400");
    for name in ["NO_COLOR", "RUST_BACKTRACE"] {
        command.env_remove(name);
    }
    // Wide enough that few sentences are broken where tests look for words.
    command.env("COLUMNS", "100");
    command
}

/// What a command left behind.
pub struct Output {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// One JSON object per line of stdout, and nothing else.
    #[track_caller]
    pub fn events(&self) -> Vec<Value> {
        let event = |line| {
            let value: Value = serde_json::from_str(line).expect(line);
            assert!(value["event"].is_string(), "{line}");
            value
        };
        self.stdout.lines().map(event).collect()
    }
}

/// A folder of its own for one test.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    pub fn new() -> Self {
        Desk {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// A desk with signals in the folder `signals`.
    pub fn with(signals: &Signals) -> Self {
        let desk = Desk::new();
        signals.write(&desk.path("signals"));
        desk
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program in this folder.
    pub fn run<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Output {
        self.run_with(&[], arguments)
    }

    /// Runs the program in this folder with more in its environment.
    pub fn run_with<T: AsRef<OsStr>>(
        &self,
        environment: &[(&str, &OsStr)],
        arguments: impl IntoIterator<Item = T>,
    ) -> Output {
        let mut command = program();
        let output = command
            .envs(environment.iter().copied())
            .current_dir(self.folder.path())
            .args(arguments)
            .output()
            .unwrap();
        Output {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the program with arguments that hold no spaces.
    pub fn guestlist(&self, arguments: &str) -> Output {
        self.run(arguments.split_whitespace())
    }

    pub fn bytes(&self, name: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn json(&self, name: impl AsRef<Path>) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap()
    }

    /// The sorted names in a folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// The AUC of an attack, to the last bit.
#[track_caller]
pub fn auc(report: &Value, id: &str) -> f64 {
    let attacks = report["attacks"].as_array().unwrap();
    let attack = attacks.iter().find(|attack| attack["id"] == id).expect(id);
    attack["auc"]["value"].as_f64().unwrap()
}

/// The ids and AUCs of all attacks, in the order of the report.
pub fn aucs(report: &Value) -> Vec<(String, f64)> {
    let attacks = report["attacks"].as_array().unwrap().iter();
    attacks
        .map(|attack| {
            let id = attack["id"].as_str().unwrap().to_owned();
            (id, attack["auc"]["value"].as_f64().unwrap())
        })
        .collect()
}
