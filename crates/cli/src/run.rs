//! `guestlist run`: train what is missing, attack, judge, report.

use std::fs::File;
use std::path::PathBuf;

use formats::files::MadeFolder;
use guestlist::kinds::classifier::config::{self, Configured, Kind};
use guestlist::kinds::classifier::plan::Checked;
use guestlist::pipeline::{Extra, OutFolder};
use guestlist::{Error, ExitCode};
use serde_json::json;
use shadows::{Failure, Follow, Readied, Run};

use super::arguments::{ConfigurationOptions, RunOptions};
use super::audit::{conclude, follow, quoted};
use super::console::Console;
use super::fewshot;
use super::flags::refuse;
use super::interrupt;
use super::language;
use super::retrieval::{self, Limits};
use super::source;
use super::training_progress::Trainees;

/// How many failures are shown in a line each.
const SHOWN_FAILURES: usize = 20;
/// How many different causes are shown with the end of a log.
const SHOWN_CAUSES: usize = 3;

pub fn run(options: &RunOptions, console: &Console) -> Result<ExitCode, Error> {
    let command = command(&options.configured);
    let extras = [
        (true, Extra::Markdown),
        (options.figures, Extra::Figures),
        (options.junit, Extra::Junit),
        (options.sarif, Extra::Sarif),
    ];
    let extras: Vec<Extra> = extras
        .iter()
        .filter(|(asked, _)| *asked)
        .map(|(_, extra)| *extra)
        .collect();
    let config = &options.configured.config;
    let kind = config::kind(config)?;
    refuse_limits(options, kind)?;
    match kind {
        Kind::Classifier => complete(&checked(&options.configured)?, command, &extras, console),
        Kind::Lm => {
            language::refuse_flags(&options.configured, "lm")?;
            language::complete(config, options.ask_again, command, &extras, console)
        }
        Kind::Rag => {
            language::refuse_flags(&options.configured, "rag")?;
            retrieval::complete(config, limits(options), command, &extras, console)
        }
        Kind::Source => {
            language::refuse_flags(&options.configured, "source")?;
            source::complete(config, limits(options), command, &extras, console)
        }
        Kind::Fewshot => {
            language::refuse_flags(&options.configured, "fewshot")?;
            fewshot::complete(config, command, &extras, console)
        }
    }
}

fn limits(options: &RunOptions) -> Limits {
    Limits {
        max_requests: options.max_requests,
        replay: options.replay,
        ask_again: options.ask_again,
    }
}

/// Flags of retrieval services.
fn refuse_limits(options: &RunOptions, kind: Kind) -> Result<(), Error> {
    let elsewhere = !matches!(kind, Kind::Rag | Kind::Source);
    let asked = [
        (
            elsewhere && options.max_requests.is_some(),
            "--max-requests",
        ),
        (elsewhere && options.replay, "--replay"),
    ];
    refuse(&asked, |flag| format!("{flag} is for retrieval services"))?;
    let nobody_answers = matches!(kind, Kind::Classifier | Kind::Fewshot);
    let asked = [(nobody_answers && options.ask_again, "--ask-again")];
    refuse(&asked, |flag| {
        format!("{flag} is for services and servers, whose answers are stored")
    })
}

/// The configuration with what the command line says otherwise, checked.
pub fn checked(options: &ConfigurationOptions) -> Result<Checked, Error> {
    let mut configured = Configured::read(&options.config)?;
    let config = &mut configured.config;
    if let Some(shadows) = options.shadows {
        config.models.shadows = shadows;
    }
    if let Some(executor) = &options.executor {
        config.run.executor.clone_from(executor);
    }
    if let Some(workers) = options.workers {
        config.run.workers = Some(workers);
    }
    Checked::new(configured, own_program()?)
}

/// Trains, then audits.
pub fn complete(
    checked: &Checked,
    command: String,
    extras: &[Extra],
    console: &Console,
) -> Result<ExitCode, Error> {
    let run = checked.run()?;
    let folder = checked.configured.folder();
    let _lock = train_all(checked, &run, console)?;
    let out = OutFolder::prepare(&folder)?;
    let _publishing = console.published().begin(&folder);
    let request = checked.request(&run, command)?;
    let kept = |error: Error| match error {
        error if error.is_interruption() => Error::stopped(format!(
            "interrupted; all {} models are kept: run again for the report",
            run.models()
        )),
        other => other,
    };
    let audit = follow(request, console).map_err(kept)?;
    conclude(&audit, Some(out), extras, console).map_err(kept)
}

/// Trains what is missing. The lock on the run's folder comes back.
pub fn train_all(checked: &Checked, run: &Run, console: &Console) -> Result<File, Error> {
    let folder = checked.configured.folder();
    let made = MadeFolder::new(&folder).map_err(|error| {
        Error::usage(
            format!("{}: cannot be made: {error}", folder.display()),
            "set run.folder to a place that you may write to",
        )
    })?;
    let lock = run.store().lock()?;
    made.keep();
    let _publishing = console.published().begin(&folder);
    train(checked, run, console)?;
    Ok(lock)
}

fn train(checked: &Checked, run: &Run, console: &Console) -> Result<(), Error> {
    let stale = run.stale();
    if let Some((model, why)) = stale.first() {
        console.event(&json!({"event": "stale", "models": stale.len(), "why": why}));
        console.note(&format!(
            "{} set aside in {}; of model {model}: {why}",
            match stale.len() {
                1 => "1 trained model no longer fits and is".to_owned(),
                models => format!("{models} trained models no longer fit and are"),
            },
            run.store().path().join("retired").display()
        ));
    }
    let Readied { open, returned } = run.prepare()?;
    if returned > 0 {
        console.note(&match returned {
            1 => "1 model that had been set aside fits again and came back".to_owned(),
            _ => format!("{returned} models that had been set aside fit again and came back"),
        });
    }
    if open.is_empty() {
        console.note(&format!("all {} models are there", run.models()));
        return Ok(());
    }
    let trainees = Trainees::new(console, run.models(), open.len());
    trainees.begin(&run.trainer(), checked.executor.words());
    let outcome = checked
        .executor
        .train(run, &open, &checked.manner, &trainees);
    trainees.finish();
    let kept = run.models() - open.len() + trainees.done();
    let failures = outcome.map_err(|error| match error.kind {
        base::ErrorKind::Interrupted => Error::stopped(format!(
            "{}; {kept} of {} models are kept: run again to go on",
            error.message,
            run.models()
        )),
        base::ErrorKind::Changed => Error::usage(
            format!(
                "{}; the models finished before are kept ({kept} of {})",
                error.message,
                run.models()
            ),
            error.hint.unwrap_or_default(),
        ),
        _ => error,
    })?;
    match failures.is_empty() {
        true => Ok(()),
        false => Err(tell(&failures, run, console)),
    }
}

/// Shows what the training program said last, and names the remedy.
fn tell(failures: &[Failure], run: &Run, console: &Console) -> Error {
    for failure in failures {
        console.event(&json!({
            "event": "failed", "model": failure.model, "error": failure.error,
            "log": failure.log, "tail": failure.tail,
        }));
    }
    let telling = telling(failures);
    let mut more = 0;
    for (place, failure) in failures.iter().enumerate() {
        let with_tail = telling.contains(&place);
        if place >= SHOWN_FAILURES && !with_tail {
            more += 1;
            continue;
        }
        let log = match failure.log.exists() {
            true => format!(" (log: {})", failure.log.display()),
            false => String::new(),
        };
        console.warn(&format!("model {}: {}{log}", failure.model, failure.error));
        for line in failure.tail.lines().filter(|_| with_tail) {
            console.warn(&format!("    {line}"));
        }
    }
    match more {
        0 => {}
        1 => console.warn("and 1 more model failed"),
        _ => console.warn(&format!("and {more} more models failed")),
    }
    Error::usage(
        format!(
            "{} of {} models could not be trained",
            failures.len(),
            run.models()
        ),
        format!(
            "mend the cause and run again: the {} others are kept in {}",
            run.models() - failures.len(),
            run.store().models().display()
        ),
    )
}

/// The places of the failures whose logs are shown: the first of each cause, and few causes.
fn telling(failures: &[Failure]) -> Vec<usize> {
    let mut causes: Vec<(&str, Option<&str>)> = Vec::new();
    let mut places = Vec::new();
    for (place, failure) in failures.iter().enumerate() {
        // A program's last line usually says what it died of.
        let cause = (failure.error.as_str(), failure.tail.lines().next_back());
        if causes.len() < SHOWN_CAUSES && !causes.contains(&cause) {
            causes.push(cause);
            places.push(place);
        }
    }
    places
}

/// The program that cluster nodes start: this one.
fn own_program() -> Result<PathBuf, Error> {
    std::env::current_exe().map_err(|error| {
        Error::usage(
            format!("the path of this program is not known: {error}"),
            "start guestlist by its full path",
        )
    })
}

/// What gives this report again.
fn command(options: &ConfigurationOptions) -> String {
    let mut text = format!(
        "guestlist run {}",
        quoted(&options.config.display().to_string())
    );
    if let Some(shadows) = options.shadows {
        text += &format!(" --shadows {shadows}");
    }
    text
}

impl Follow for Trainees<'_> {
    fn started(&self, model: usize) {
        self.start(model);
    }

    fn finished(&self, model: usize) {
        self.end(model);
    }

    fn queued(&self, running: usize, waiting: usize) {
        self.queue(running, waiting);
    }

    fn failed(&self, model: usize, error: &base::Error, again: bool) {
        self.fail(model, &error.explained(), again);
    }

    fn said(&self, words: &str) {
        self.say(words);
    }

    fn stopped(&self) -> bool {
        interrupt::asked()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_is_told_with_its_log_once() {
        let failure = |model, error: &str, tail: &str| Failure {
            model,
            error: error.into(),
            log: PathBuf::new(),
            tail: tail.into(),
        };
        let failures = [
            failure(1, "status 1", "--- model 1\nno memory"),
            failure(2, "status 1", "--- model 2\nno memory"),
            failure(3, "status 1", "--- model 3\nno file"),
            failure(4, "status 2", "--- model 4\nno file"),
            failure(5, "status 3", ""),
        ];
        assert_eq!(telling(&failures), [0, 2, 3]);
    }
}
