//! `guestlist study`: experiments of papers, run again.

mod bavaria;
mod few_shot;

use std::path::PathBuf;

use guestlist::{Error, ExitCode};

use super::arguments::Study;
use super::console::Console;

pub fn run(study: &Study, again: String, console: &Console) -> Result<ExitCode, Error> {
    match study {
        Study::Bavaria(options) => bavaria::run(options, again, console),
        Study::FewShot(options) => few_shot::run(options, again, console),
    }
}

/// Shows the page, and says where it and its numbers are.
fn written(page: &str, files: &[PathBuf], console: &Console) -> Result<ExitCode, Error> {
    if !console.is_quiet() {
        console.data(page)?;
    }
    for file in files {
        console.note(&format!("wrote {}", file.display()));
    }
    Ok(ExitCode::Pass)
}
