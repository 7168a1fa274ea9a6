//! The program `guestlist` in a process of Python: the same code, started by a script.

use std::ffi::OsString;
use std::path::PathBuf;

use guestlist::Launch;
use guestlist::doctor::{DoctorRequest, examine};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::Outcome;
use crate::follow::follow;

/// What a program that broke ends with: neither a verdict nor a refusal.
const BROKE: u8 = 101;

/// Runs what was typed behind the program's name, and gives the exit code. `program` is what starts it again, and
/// `python` the interpreter.
///
/// For the main thread of a process that does nothing else: signals are the command line's from here on.
#[pyfunction]
pub fn command_line(
    py: Python<'_>,
    typed: Vec<OsString>,
    program: PathBuf,
    python: Option<PathBuf>,
) -> u8 {
    Launch { program, python }.declare();
    let typed = std::iter::once(OsString::from("guestlist")).chain(typed);
    // An exception would end Python with 1, and 1 is a leak.
    let ended = std::panic::catch_unwind(|| py.detach(|| guestlist_cli::run(typed)));
    ended.map_or(BROKE, |code| code as u8)
}

/// What there is here and what is missing, as JSON.
#[pyfunction]
pub fn doctor(
    py: Python<'_>,
    out: Option<PathBuf>,
    program: PathBuf,
    python: PathBuf,
) -> Outcome<String> {
    let request = DoctorRequest {
        out,
        python: Some(python.clone()),
    };
    let python = Some(python);
    Launch { program, python }.declare();
    let found = follow(py, &None, move |progress| examine(&request, progress))?;
    Ok(json!({
        "findings": found.findings,
        "works": found.works(),
        "text": found.to_string(),
    })
    .to_string())
}
