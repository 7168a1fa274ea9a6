//! The program, ended with its test whatever becomes of the test.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::http::{Answer, PATIENCE, request, send};

pub struct Server {
    child: Child,
    /// `127.0.0.1:…`
    pub address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, deaf to what the developer's shell has set.
pub fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_guestlist"));
    for name in ["NO_COLOR", "COLUMNS", "RUST_BACKTRACE", "GUESTLIST_TOKEN"] {
        command.env_remove(name);
    }
    command.stdin(Stdio::null());
    command
}

impl Server {
    pub fn start(folder: &Path, options: &str) -> Self {
        Self::start_with(folder, options, &[])
    }

    pub fn start_with(folder: &Path, options: &str, variables: &[(&str, &str)]) -> Self {
        let mut child = program()
            .arg("serve")
            .arg(folder)
            .args(["--port", "0", "--json"])
            .args(options.split_whitespace())
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let event: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line:?}"));
        assert_eq!(event["event"], "serving");
        let address = event["address"].as_str().unwrap();
        let address = address.strip_prefix("http://").unwrap();
        Self {
            child,
            address: address
                .trim_end_matches('/')
                .replace("0.0.0.0", "127.0.0.1"),
        }
    }

    pub fn ask(&self, method: &str, target: &str, headers: &str, body: &str) -> Answer {
        let request = request(method, target, &self.address, headers, body);
        send(&self.address, &request)
    }

    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, "", "")
    }

    /// Asks again until the page says something: the folder is looked at in the background.
    #[track_caller]
    pub fn await_text(&self, target: &str, part: &str) -> String {
        self.await_that(target, |answer| answer.text().contains(part))
            .unwrap_or_else(|| {
                panic!(
                    "{part:?} never was in {target}: {}",
                    self.get(target).text()
                )
            })
    }

    pub fn await_that(&self, target: &str, right: impl Fn(&Answer) -> bool) -> Option<String> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            let answer = self.get(target);
            if right(&answer) {
                return Some(answer.text());
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        None
    }

    pub fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status();
        assert!(sent.unwrap().success());
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        None
    }
}
