//! Trains what is missing, and says what became of it.

use base::{Event, Progress, Unit};
use report::classifier::{Accuracy, WhatIfPrivate};
use serde_json::json;
use shadows::{Failure, Prepared, Run};

use super::Plan;
use super::attack::ShadowRequest;
use super::first_model::FirstModel;
use crate::pipeline::{Collected, Kept, RunOptions};
use crate::{Error, ErrorKind, Result};

/// Promises that releases make: moderate, and strong.
const WHAT_IF_EPSILONS: [f64; 2] = [8.0, 2.0];
/// How many failures are shown in a line each.
const SHOWN_FAILURES: usize = 20;
/// How many different causes are shown with the end of a log.
const SHOWN_CAUSES: usize = 3;

/// The signals of models that are all there. The lock on the run's folder comes along.
pub fn collect(
    plan: &Plan,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Collected<ShadowRequest>> {
    let run = plan.run()?;
    let lock = run.store().lock()?;
    train(plan, &run, progress)?;
    let what_if = privately(&run, options, progress)?;
    let command = options.command_for(&plan.place.path);
    Ok(Collected {
        signals: plan.request(&run, command, what_if)?,
        lock: Some(lock),
    })
}

/// What DP-SGD would cost the audited model, where that was asked for.
fn privately(
    run: &Run,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Vec<WhatIfPrivate>> {
    let [] = options.what_if.as_slice() else {
        progress.note("training the audited model by DP-SGD, to see what that costs");
        let found = run.privately(&WHAT_IF_EPSILONS, progress)?;
        let told = found.into_iter().map(|one| WhatIfPrivate {
            epsilon: one.epsilon,
            delta: one.delta,
            accuracy: Accuracy {
                training: one.training,
                test: one.test,
            },
            commonest: one.commonest,
        });
        return Ok(told.collect());
    };
    Ok(Vec::new())
}

fn train(plan: &Plan, run: &Run, progress: Progress<'_>) -> Result<()> {
    tell_stale(run, progress);
    let Prepared { open, returned } = run.prepare()?;
    if let Some(words) = self::returned(returned) {
        progress.note(&words);
    }
    let there = run.models() - open.len();
    progress.phase("training", run.models(), Unit::Models);
    progress.tell(Event::Found { stored: there });
    if open.is_empty() {
        progress.note(&format!("all {} models are there", run.models()));
        return Ok(());
    }
    tell_beginning(plan, run, open.len(), progress);
    let trained = Kept::new(progress);
    let at_once = plan.executor.at_once(run, &plan.executor_options);
    let first = FirstModel::new(trained.progress(), open.len(), at_once);
    let followed = match plan.training.settings().by_program() {
        true => first.progress(),
        false => trained.progress(),
    };
    let outcome = plan
        .executor
        .train(run, &open, &plan.executor_options, followed);
    progress.tell(Event::Over);
    let kept = there + trained.count();
    let failures = outcome.map_err(|error| with_kept(error, kept, run.models()))?;
    match failures.is_empty() {
        true => Ok(()),
        false => {
            let untried = open.len().saturating_sub(trained.count() + failures.len());
            Err(tell(&failures, untried, run, progress))
        }
    }
}

fn tell_stale(run: &Run, progress: Progress<'_>) {
    let stale = run.stale();
    if let Some((_, why)) = stale.first() {
        progress.facts("stale", &json!({"models": stale.len(), "why": why}));
        progress.note(&set_aside(&stale, run));
    }
}

/// What is said of models that no longer fit; nothing where all do.
pub fn stale(run: &Run) -> Option<String> {
    let stale = run.stale();
    (!stale.is_empty()).then(|| set_aside(&stale, run))
}

fn set_aside(stale: &[(usize, String)], run: &Run) -> String {
    let example = stale.first();
    format!(
        "{} set aside in {}{}",
        match stale.len() {
            1 => "1 trained model no longer fits and is".to_owned(),
            models => format!("{models} trained models no longer fit and are"),
        },
        run.store().path().join("retired").display(),
        example.map_or_else(String::new, |(model, why)| format!(
            "; of model {model}: {why}"
        ))
    )
}

/// What is said of models that fit again; nothing where none came back.
pub fn returned(models: usize) -> Option<String> {
    match models {
        0 => None,
        1 => Some("1 model that had been set aside fits again and came back".to_owned()),
        _ => Some(format!(
            "{models} models that had been set aside fit again and came back"
        )),
    }
}

fn tell_beginning(plan: &Plan, run: &Run, to_train: usize, progress: Progress<'_>) {
    let trainer = run.trainer();
    progress.facts(
        "training",
        &json!({"models": run.models(), "to_train": to_train, "trainer": trainer}),
    );
    progress.note(&format!(
        "training {to_train} of {} models {}: {trainer}",
        run.models(),
        plan.executor.about()
    ));
}

/// What is kept of a training that broke off.
fn with_kept(error: Error, kept: usize, models: usize) -> Error {
    match error.kind {
        ErrorKind::Interrupted => Error::stopped(format!(
            "{}; {kept} of {models} models are kept: run again to go on",
            error.message
        )),
        ErrorKind::Changed => Error::usage(
            format!(
                "{}; the models finished before are kept ({kept} of {models})",
                error.message
            ),
            error.hint.unwrap_or_default(),
        ),
        _ => error,
    }
}

/// Shows what the training program said last, and names the remedy.
fn tell(failures: &[Failure], untried: usize, run: &Run, progress: Progress<'_>) -> Error {
    for failure in failures {
        progress.facts(
            "failed",
            &json!({
                "model": failure.model, "error": failure.error,
                "log": failure.log, "tail": failure.tail,
            }),
        );
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
        progress.warn(&format!("model {}: {}{log}", failure.model, failure.error));
        for line in failure.tail.lines().filter(|_| with_tail) {
            progress.warn(&format!("    {line}"));
        }
    }
    match more {
        0 => {}
        1 => progress.warn("and 1 more model failed"),
        _ => progress.warn(&format!("and {more} more models failed")),
    }
    let (failed, models, kept) = (failures.len(), run.models(), run.store().models());
    let left = match untried {
        0 => format!("{failed} of {models} models could not be trained"),
        _ => format!(
            "the first {failed} models all failed alike, so the other {untried} were not tried"
        ),
    };
    let there = models - failed - untried;
    let kept = match (untried, there) {
        (0, _) => format!("the {there} others are kept in {}", kept.display()),
        (_, 0) => "it goes on from here".to_owned(),
        _ => format!("the {there} that are there are kept in {}", kept.display()),
    };
    Error::usage(left, format!("mend the cause and run again: {kept}"))
}

/// The places of the failures whose logs are shown: the first of each cause, and few causes.
fn telling(failures: &[Failure]) -> Vec<usize> {
    let mut causes: Vec<(&str, &str)> = Vec::new();
    let mut places = Vec::new();
    for (place, failure) in failures.iter().enumerate() {
        let cause = failure.cause();
        if causes.len() < SHOWN_CAUSES && !causes.contains(&cause) {
            causes.push(cause);
            places.push(place);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn each_cause_is_told_with_its_log_once() {
        let failure = |model, error: &str, tail: &str| {
            let error = shadows::Error::new(shadows::ErrorKind::Training, error);
            Failure::new(model, &error, PathBuf::new(), &[tail.to_owned()])
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
