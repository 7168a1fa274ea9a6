//! What lies on the disk from before: reports, read and compared, and signals in another format.

use std::path::PathBuf;

use guestlist::convert::{ConvertRequest, convert as converted};
use guestlist::diff::difference;
use guestlist::evidence::{self, Checked, Request, Signers};
use guestlist::stored;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::{Outcome, Raised};
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::Audit;

/// The report of an audit's folder, or the file itself.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> Outcome<Audit> {
    let stored = follow(py, &None, move |_| stored::open(&path))?;
    Ok(stored.into())
}

/// Whether the files of an audit, and what it read, are as they were, as JSON.
#[pyfunction]
#[pyo3(signature = (folder, inputs, signers, identity))]
pub fn verify(
    py: Python<'_>,
    folder: PathBuf,
    inputs: Option<PathBuf>,
    signers: Option<PathBuf>,
    identity: Option<String>,
) -> Outcome<String> {
    let signers = signers.map(|file| Signers { file, identity });
    let request = Request { inputs, signers };
    let found = follow(py, &None, move |_| evidence::verify(&folder, &request))?;
    let every = |all: &[Checked]| -> Vec<(String, &str)> {
        let all = all.iter();
        all.map(|one| (one.path.clone(), one.state.word()))
            .collect()
    };
    Ok(json!({
        "holds": found.holds(),
        "files": every(&found.files),
        "inputs": every(&found.inputs),
        "signature": found.signature.to_string(),
        "conclusion": found.conclusion(),
        "text": found.text(),
    })
    .to_string())
}

/// Signs the digests of an audit; the signature's place comes back.
#[pyfunction]
pub fn sign(py: Python<'_>, folder: PathBuf, key: PathBuf) -> Outcome<PathBuf> {
    follow(py, &None, move |_| evidence::sign(&folder, &key))
}

/// Whether leakage rose from one report to the other, as JSON.
#[pyfunction]
pub fn diff(py: Python<'_>, baseline: &Audit, current: &Audit, level: f64) -> Outcome<String> {
    let (baseline, current) = (baseline.report(), current.report());
    let found = follow(py, &None, |_| difference(baseline, current, level))?;
    let mut whole = serde_json::to_value(&found).map_err(|error| Raised::Python(broken(&error)))?;
    let rises = found.changes.iter().map(|change| change.is_rise(level));
    whole["rises"] = json!(rises.collect::<Vec<bool>>());
    whole["text"] = found.terminal().into();
    whole["markdown"] = found.markdown().into();
    Ok(whole.to_string())
}

/// A stored report, judged by a policy: what the policy finds, as JSON.
#[pyfunction]
pub fn policy_check(py: Python<'_>, audit: &Audit, policy: Option<PathBuf>) -> Outcome<String> {
    let stored = audit.report();
    let found = follow(py, &None, |_| {
        let policy = policy.as_deref().map(guestlist::policy::read).transpose()?;
        guestlist::policy::check(stored, policy)
    })?;
    let style = report::Style::plain(100);
    Ok(json!({
        "outcome": found.verdict.outcome,
        "reasons": found.verdict.reasons,
        "policy": found.policy,
        "text": report::policy(&found.policy, &found.verdict, style),
    })
    .to_string())
}

/// Shadow signals in another format: what was read and written, as JSON.
#[pyfunction]
pub fn convert<'py>(
    py: Python<'py>,
    input: PathBuf,
    output: PathBuf,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<String> {
    let request: ConvertRequest = options::request(options)?;
    let done = follow(py, &listener, move |progress| {
        converted(&input, &output, &request, progress)
    })?;
    Ok(json!(done).to_string())
}

fn broken(error: &serde_json::Error) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(error.to_string())
}
