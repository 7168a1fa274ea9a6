//! The command line's own ways, for whatever lies on the disk: a configuration is written, planned,
//! probed and run, and signals of every kind are audited.

use std::path::PathBuf;

use guestlist::init::{InitRequest, init as start, init_policy};
use guestlist::pipeline::{self, AuditRequest, Estimate, Question, RunOptions, Source};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::Outcome;
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::{Audit, Finished};

/// From a configuration to a report: the audit, and the files that it left.
#[pyfunction]
pub fn run<'py>(
    py: Python<'py>,
    config: PathBuf,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Finished> {
    let options: RunOptions = options::request(options)?;
    let finished = follow(py, &listener, move |progress| {
        pipeline::run(&config, &options, progress)
    })?;
    Ok(Audit::left(finished))
}

/// What a run would do, take and cost, as JSON.
#[pyfunction]
pub fn plan<'py>(
    py: Python<'py>,
    config: PathBuf,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<String> {
    let options: RunOptions = options::request(options)?;
    let estimate = follow(py, &listener, move |progress| {
        pipeline::plan(&config, &options, progress)
    })?;
    Ok(written(&estimate))
}

/// The audit of a file or folder of any kind.
#[pyfunction]
pub fn audit_path<'py>(
    py: Python<'py>,
    path: PathBuf,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Audit> {
    let mut request: AuditRequest = options::request(options)?;
    request.options.source = Source::Program;
    let finished = follow(py, &listener, move |progress| {
        pipeline::audit(&path, &request, progress)
    })?;
    Ok(finished.audit.into())
}

/// A commented configuration: what was written and what comes next, as JSON.
#[pyfunction]
pub fn init(py: Python<'_>, kind: &str, options: &str) -> Outcome<String> {
    let request: InitRequest = options::request(options)?;
    let kind = match kind {
        "policy" => None,
        kind => Some(options::kind(kind)?),
    };
    let done = follow(py, &None, move |_| match kind {
        Some(kind) => start(kind, &request),
        None => init_policy(&request),
    })?;
    Ok(json!({
        "config": done.config,
        "controls": done.controls.map(|(path, _)| path),
        "next": done.next,
        "doubts": done.doubts,
    })
    .to_string())
}

/// One question to the service of a configuration, as JSON.
#[pyfunction]
pub fn probe<'py>(
    py: Python<'py>,
    config: PathBuf,
    query: Option<String>,
    without_retrieval: bool,
    listener: Listener<'py>,
) -> Outcome<String> {
    let shown = follow(py, &listener, move |progress| {
        let question = Question {
            query: query.as_deref(),
            without_retrieval,
        };
        pipeline::probe(&config, &question, progress)
    })?;
    let mut facts = shown.facts();
    facts["text"] = shown.to_string().into();
    Ok(facts.to_string())
}

fn written(estimate: &Estimate) -> String {
    json!({
        "kind": estimate.kind,
        "facts": estimate.facts,
        "lines": estimate.lines,
        "notes": estimate.notes,
        "next": estimate.next,
        "questions": estimate.questions,
        "text": estimate.to_string(),
    })
    .to_string()
}
