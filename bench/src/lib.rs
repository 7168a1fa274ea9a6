//! What the programs of this folder share: failures, the workspace's folder, other programs, measured figures.

pub mod figures;

use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use serde_json::Value;

/// What did not succeed.
pub struct Failed(pub String);

/// How a program ends.
#[allow(clippy::print_stderr)] // a tool for the terminal
pub fn ended(outcome: Result<(), Failed>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failed(what)) => {
            eprintln!("error: {what}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// A program that was built beside this one.
pub fn beside(name: &str) -> Result<PathBuf, Failed> {
    let here = std::env::current_exe().map_err(|error| Failed(error.to_string()))?;
    Ok(here.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
}

/// Runs a command at the workspace's folder and reads the JSON that it prints.
pub fn measure(command: &mut Command) -> Result<Value, Failed> {
    let shown = format!("{command:?}");
    let output = command
        .current_dir(root())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failed(format!("{shown} did not start: {error}")))?;
    if !output.status.success() {
        return Err(Failed(format!("{shown} ended with {}", output.status)));
    }
    serde_json::from_slice(&output.stdout)
        .map_err(|error| Failed(format!("no numbers came back: {error}")))
}
