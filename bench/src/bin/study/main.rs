//! `cargo xtask study few-shot`: what is published about few-shot attacks and Log-MIA, recomputed,
//! and what the attacks reach on models that leak. Writes docs/study-few-shot.md.
//! `cargo xtask study rag`: attacks on retrieval services against defences; docs/study-rag.md.
//! `cargo xtask study rag-nulls`: whether they hold their level; a table of docs/guide-rag.md.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod measured;
mod nulls;
mod page;
mod published_few_shot;
mod published_log_mia;
mod rag;

use std::path::PathBuf;
use std::process::ExitCode;

use self::measured::Bench;
use guestlist_bench::{Failed, ended, root};

/// What may be asked for.
struct Wanted {
    location: Option<PathBuf>,
    runs: usize,
}

fn main() -> ExitCode {
    ended(run(std::env::args().skip(1)))
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    match arguments.next().as_deref() {
        Some("few-shot") => few_shot(&wanted(arguments)?),
        Some("rag") => rag::run(arguments),
        Some("rag-nulls") => nulls::run(arguments),
        _ => Err(Failed(
            "`cargo xtask study` wants few-shot, ez, rag or rag-nulls".into(),
        )),
    }
}

fn wanted(mut arguments: impl Iterator<Item = String>) -> Result<Wanted, Failed> {
    let mut wanted = Wanted {
        location: None,
        runs: 500,
    };
    while let Some(flag) = arguments.next() {
        let value = arguments.next();
        match (flag.as_str(), value) {
            ("--location", Some(folder)) => wanted.location = Some(folder.into()),
            ("--runs", Some(runs)) => {
                wanted.runs = runs
                    .parse()
                    .map_err(|_| Failed(format!("--runs {runs} is not a number")))?;
            }
            (other, _) => {
                return Err(Failed(format!(
                    "{other} is not known or has no value; there are --location DIR and --runs N"
                )));
            }
        }
    }
    Ok(wanted)
}

fn few_shot(wanted: &Wanted) -> Result<(), Failed> {
    let bench = Bench::new(wanted.runs)?;
    let parts = [
        published_log_mia::part()?,
        published_few_shot::part(),
        measured::digits(&bench)?,
        measured::location(&bench, wanted.location.as_deref())?,
    ];
    let mut page = page::head(wanted.runs, &parts);
    for part in &parts {
        page += &format!("\n{}", part.text);
    }
    page += &format!("\n{}", page::foot());
    let path = root().join("docs/study-few-shot.md");
    std::fs::write(&path, page).map_err(|error| Failed(format!("{}: {error}", path.display())))?;
    eprintln!("wrote docs/study-few-shot.md");
    Ok(())
}
