//! The command line's own ways, for whatever lies on the disk: a configuration is planned and run, and
//! signals of every kind are audited.

use std::path::PathBuf;

use guestlist::pipeline::{self, AuditRequest, Estimate, Finished, RunOptions, Source};
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::Outcome;
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::Audit;

/// From a configuration to a report: the audit, and the files that it left.
#[pyfunction]
pub fn run<'py>(
    py: Python<'py>,
    config: PathBuf,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<(Audit, Vec<PathBuf>)> {
    let options: RunOptions = options::request(options)?;
    let finished = follow(py, &listener, move |progress| {
        pipeline::run(&config, &options, progress)
    })?;
    Ok(left(finished))
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

fn left(finished: Finished) -> (Audit, Vec<PathBuf>) {
    (finished.audit.into(), finished.files)
}

fn written(estimate: &Estimate) -> String {
    json!({
        "kind": estimate.kind,
        "facts": estimate.facts,
        "lines": estimate.lines,
        "notes": estimate.notes,
        "next": estimate.next,
        "text": estimate.to_string(),
    })
    .to_string()
}
