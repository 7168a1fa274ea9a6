//! `compare attacks` and `compare training`: our speed beside the field's usual tools, on the same
//! data, in the same run. `cargo xtask bench` sees to it that `python3` has them. With `--write` what was
//! measured goes to `bench/figures`, and `compare record NAME COMMAND` writes there what it reads.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod attacks;
mod commands;
mod training;

use std::io::Read;
use std::process::ExitCode;

use guestlist_bench::figures::Source;
use guestlist_bench::{Failed, ended};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    ended(match words.next() {
        Some("attacks") => attacks::compare(&arguments[1..]),
        Some("training") => training::compare(&arguments[1..]),
        Some("record") => match (words.next(), words.next()) {
            (Some(name), Some(command)) => record(name, command),
            _ => Err(Failed("`compare record` wants a name and a command".into())),
        },
        _ => Err(Failed("`compare` wants attacks, training or record".into())),
    })
}

/// Values as a JSON object on stdin, for programs that are not of Rust.
fn record(name: &str, command: &str) -> Result<(), Failed> {
    let mut text = String::new();
    let read = std::io::stdin().read_to_string(&mut text);
    read.map_err(|error| Failed(error.to_string()))?;
    let values = serde_json::from_str(&text).map_err(|error| Failed(error.to_string()))?;
    Source {
        name,
        command,
        values,
    }
    .write()
}

/// Whether the numbers are to be kept.
fn writes(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| argument == "--write")
}
