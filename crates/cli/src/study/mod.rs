//! `guestlist study`: experiments of papers, run again.

mod bavaria;
mod ez;
mod few_shot;

use std::path::PathBuf;

use guestlist::study::Studied;
use guestlist::{Error, ExitCode};

use super::arguments::Study;
use super::console::Console;

pub fn run(study: &Study, again: String, console: &Console) -> Result<ExitCode, Error> {
    match study {
        Study::Bavaria(options) => bavaria::run(options, again, console),
        Study::Ez(options) => ez::run(options, again, console),
        Study::FewShot(options) => few_shot::run(options, again, console),
    }
}

/// What was named, or else what guestlist carries, which has a name of its own and is made where it is asked for.
fn carried_or(
    data: &[String],
    carried: &str,
    make: impl Fn() -> Result<PathBuf, Error>,
) -> Result<Vec<Studied>, Error> {
    let usual = [carried.to_owned()];
    let data = match data {
        [] => usual.as_slice(),
        named => named,
    };
    // A mistake in any of them is told before anything is made.
    let named: Vec<Option<Studied>> = data
        .iter()
        .map(|text| (text != carried).then(|| Studied::parse(text)).transpose())
        .collect::<Result<_, Error>>()?;
    for set in named.iter().flatten() {
        set.check_exists()?;
    }
    let made = |set: Option<Studied>| match set {
        Some(set) => Ok(set),
        None => Ok(Studied {
            name: carried.to_owned(),
            path: make()?,
        }),
    };
    named.into_iter().map(made).collect()
}

/// Shows the page, and says where it and its numbers are.
fn written(page: &str, files: &[PathBuf], console: &Console) -> Result<ExitCode, Error> {
    // Events are a stream of their own.
    if !console.is_quiet() && !console.is_json() {
        console.data(page)?;
    }
    for file in files {
        console.note(&format!("wrote {}", file.display()));
    }
    Ok(ExitCode::Pass)
}
