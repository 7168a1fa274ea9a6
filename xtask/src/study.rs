//! `cargo xtask study few-shot`: builds the study and the program that it runs.

use std::process::Command;

use crate::shell::{Failed, beside, cargo, run};

const BUILD: [&str; 7] = [
    "build",
    "--release",
    "--workspace",
    "--bin",
    "guestlist",
    "--bin",
    "study",
];

pub fn measure(arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    cargo(&BUILD)?;
    run(Command::new(beside("study")?).args(arguments))
}
