//! `cargo xtask study few-shot`: what is published about few-shot attacks and Log-MIA, recomputed,
//! and what the attacks reach on models that leak. Writes bench/figures/study-few-shot.json and, from it,
//! docs/study-few-shot.md; with `--stored`, the page alone.
//! `cargo xtask study rag`: attacks on retrieval services against defences; docs/study-rag.md.
//! `cargo xtask study rag-nulls`: whether they hold their level; a table of docs/guide-rag.md.
//! `cargo xtask study tables`: what follows from formulas and simulations alone; tables of several guides.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod measured;
mod models;
mod nulls;
mod page;
mod published_few_shot;
mod published_log_mia;
mod rag;
mod tables;

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::{Value, json};

use self::measured::Bench;
use self::models::Model;
use guestlist_bench::figures::{Source, folder};
use guestlist_bench::{Failed, ended, root};

const FEW_SHOT: &str = "study-few-shot";

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
        Some("few-shot") => few_shot(arguments),
        Some("rag") => rag::run(arguments),
        Some("rag-nulls") => nulls::run(arguments),
        Some("tables") => tables::run(),
        _ => Err(Failed(
            "`cargo xtask study` wants few-shot, ez, rag, rag-nulls, rag-requests or tables".into(),
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

fn few_shot(arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    let arguments: Vec<String> = arguments.collect();
    if arguments != ["--stored"] {
        measure_few_shot(&wanted(arguments.into_iter())?)?;
    }
    let path = root().join("docs/study-few-shot.md");
    std::fs::write(&path, few_shot_page(&stored_few_shot()?)?)
        .map_err(|error| Failed(format!("{}: {error}", path.display())))?;
    eprintln!("wrote docs/study-few-shot.md");
    Ok(())
}

fn measure_few_shot(wanted: &Wanted) -> Result<(), Failed> {
    let bench = Bench::new(wanted.runs)?;
    let mut models = vec![measured::digits(&bench)?];
    models.extend(measured::location(&bench, wanted.location.as_deref())?);
    let models: Vec<Value> = models.iter().map(Model::to_json).collect();
    let source = Source {
        name: FEW_SHOT,
        command: "cargo xtask study few-shot --location DIR",
        values: json!({"runs": wanted.runs, "models": models}),
    };
    source.write()
}

fn stored_few_shot() -> Result<Value, Failed> {
    let path = folder().join(format!("{FEW_SHOT}.json"));
    let failed = |why: String| Failed(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(&path).map_err(|error| failed(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| failed(error.to_string()))
}

fn few_shot_page(stored: &Value) -> Result<String, Failed> {
    let models = stored["models"].as_array().into_iter().flatten();
    let models: Vec<Model> = models.map(Model::from_json).collect::<Result<_, _>>()?;
    let runs = stored["runs"].as_u64().unwrap_or_default();
    let parts = [
        published_log_mia::part()?,
        published_few_shot::part(),
        models::part(&models)?,
    ];
    let mut page = page::head(runs, &parts);
    for part in &parts {
        page += &format!("\n{}", part.text);
    }
    Ok(page + &format!("\n{}", page::foot()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_few_shot_attacks_says_what_was_measured() {
        let page = stored_few_shot().and_then(|stored| {
            assert!(stored["models"][0].is_object(), "nothing was measured");
            few_shot_page(&stored)
        });
        let page = page.unwrap_or_else(|Failed(why)| panic!("{why}"));
        let shown = std::fs::read_to_string(root().join("docs/study-few-shot.md")).unwrap();
        let differs = page.lines().zip(shown.lines()).find(|(a, b)| a != b);
        assert!(
            page == shown,
            "docs/study-few-shot.md says other than bench/figures: run `cargo xtask study few-shot --stored`: {differs:?}"
        );
    }
}
