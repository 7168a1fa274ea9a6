//! `guestlist plan`: what a run would do.

use guestlist::kinds::classifier::config::{self, Kind};
use guestlist::kinds::classifier::plan::Checked;
use guestlist::{Error, ExitCode};
use serde_json::json;
use shadows::Outlook;

use super::arguments::Plan;
use super::console::Console;
use super::fewshot;
use super::language;
use super::retrieval;
use super::run::checked;
use super::source;
use super::time::span;

pub fn run(options: &Plan, console: &Console) -> Result<ExitCode, Error> {
    match config::kind(&options.configured.config)? {
        Kind::Classifier => classifier(options, console),
        Kind::Lm => language::plan(&options.configured, console),
        Kind::Rag => retrieval::plan(&options.configured, options.max_requests, console),
        Kind::Source => source::plan(&options.configured, options.max_requests, console),
        Kind::Fewshot => fewshot::plan(&options.configured, console),
    }
}

fn classifier(options: &Plan, console: &Console) -> Result<ExitCode, Error> {
    let checked = checked(&options.configured)?;
    let run = checked.run()?;
    if checked.workshop.settings().command.is_none() {
        console.note("measuring how long a model takes");
    }
    let outlook = run.outlook();
    // At best, a cluster takes all at once.
    let workers = checked.executor.at_once(&run, &checked.manner);
    let workers = workers.unwrap_or(usize::MAX);
    let seconds = outlook.seconds.map(|seconds| {
        let rounds = outlook.to_train().div_ceil(workers);
        (seconds, seconds * rounds as f64)
    });
    console.event(&json!({
        "event": "plan", "records": outlook.records,
        "different_records": checked.workshop.subject().units.as_ref().map(|units| units.count()),
        "models": outlook.models,
        "done": outlook.done, "returning": outlook.returning, "stale": outlook.stale.len(), "to_train": outlook.to_train(),
        "trainer": outlook.trainer, "executor": checked.executor.name(),
        "seconds_per_model": seconds.map(|s| s.0), "seconds": seconds.map(|s| s.1),
    }));
    console.text(&text(&checked, &outlook, workers, seconds))?;
    Ok(ExitCode::Pass)
}

fn text(
    checked: &Checked,
    outlook: &Outlook,
    workers: usize,
    seconds: Option<(f64, f64)>,
) -> String {
    let mut lines: Vec<(&str, String)> = Vec::new();
    let subject = checked.workshop.subject();
    let data = match &subject.data {
        Some(data) => format!(
            "{} records, {} columns as {} numbers each, {} classes",
            data.len(),
            data.columns.len(),
            data.width,
            data.classes.len()
        ),
        None => format!("{} records, read by your program", subject.records),
    };
    lines.push(("data", data));
    lines.push((
        "models",
        format!(
            "{}: the audited one and {} shadows, each trained on a random half ({} records)",
            outlook.models,
            outlook.models - 1,
            outlook.records / 2
        ),
    ));
    lines.push(("trainer", outlook.trainer.clone()));
    lines.push(("executor", checked.executor.words().to_owned()));
    lines.push(("finished", outlook.done.to_string()));
    if let Some((model, why)) = outlook.stale.first() {
        lines.push((
            "stale",
            format!("{}; of model {model}: {why}", outlook.stale.len()),
        ));
    }
    if outlook.returning > 0 {
        lines.push((
            "returning",
            format!("{}, set aside earlier", outlook.returning),
        ));
    }
    let time = match seconds {
        Some((one, all)) => format!(
            ", about {} each: about {} with {} at once",
            span(one),
            span(all),
            workers.min(outlook.to_train())
        ),
        None => String::new(),
    };
    lines.push(("to train", format!("{}{time}", outlook.to_train())));
    let attacks = checked.granted.attacks.len();
    lines.push(("attacks", attacks.to_string()));
    lines.push(("folder", checked.configured.folder().display().to_string()));
    let body: String = lines
        .iter()
        .map(|(name, words)| format!("{name:<9} {}\n", report::printable(words)))
        .collect();
    let notes: String = checked
        .notes()
        .iter()
        .map(|note| format!("note: {}\n", report::printable(note)))
        .collect();
    body + &notes + "Nothing was trained. `guestlist run` starts.\n"
}
