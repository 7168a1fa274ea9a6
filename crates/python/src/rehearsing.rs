//! Demonstrations on embedded data, and a retrieval service to rehearse on.

use std::sync::{Mutex, PoisonError};

use guestlist::Error;
use pyo3::prelude::*;
use rehearsal::demo::{DemoRequest, show};
use rehearsal::misleading::{CASES, Case, find};
use rehearsal::{ServeRequest, Serving};
use serde_json::{Value, json};

use crate::errors::Outcome;
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::{Audit, Finished};

/// A whole audit on embedded data.
#[pyfunction]
pub fn demo<'py>(
    py: Python<'py>,
    kind: &str,
    options: &str,
    listener: Listener<'py>,
) -> Outcome<Finished> {
    let kind = options::kind(kind)?;
    let request: DemoRequest = options::request(options)?;
    let shown = follow(py, &listener, move |progress| {
        show(kind, &request, progress)
    })?;
    Ok(Audit::left(shown.finished))
}

/// Mistakes of published code beside what guestlist says, as JSON; without a case, their titles alone.
#[pyfunction]
pub fn misleading<'py>(
    py: Python<'py>,
    case: Option<&str>,
    seed: u64,
    listener: Listener<'py>,
) -> Outcome<String> {
    let cases = match case {
        None | Some("all") => CASES.to_vec(),
        Some(id) => vec![find(id)?],
    };
    let wanted = case.is_some();
    let told = follow(py, &listener, move |progress| {
        progress.phase("cases", cases.len(), guestlist::Unit::Records);
        let tell = |case: &&'static Case| {
            progress.check()?;
            let told = told(case, wanted, seed)?;
            progress.advance(1);
            Ok(told)
        };
        cases
            .iter()
            .map(tell)
            .collect::<Result<Vec<Value>, Error>>()
    })?;
    Ok(Value::from(told).to_string())
}

fn told(case: &Case, wanted: bool, seed: u64) -> Result<Value, Error> {
    let mut told = json!({
        "id": case.id, "title": case.title, "habit": case.habit, "source": case.source,
        "data": case.data, "notices": case.notices,
    });
    if wanted {
        let sides = case.show(seed)?;
        told["mistaken"] = json!(sides.mistaken);
        told["guestlist"] = json!(sides.guestlist);
    }
    Ok(told)
}

/// A retrieval service on this machine; it goes on until it is stopped or forgotten.
#[pyclass(frozen, module = "guestlist._guestlist")]
pub struct RagServer {
    serving: Mutex<Option<Serving>>,
    address: String,
    documents: usize,
    chunks: usize,
}

/// Reads the documents and serves them.
#[pyfunction]
pub fn rag_server(py: Python<'_>, options: &str, key: Option<String>) -> Outcome<RagServer> {
    let mut request: ServeRequest = options::request(options)?;
    request.key = key;
    let serving = follow(py, &None, move |_| request.start())?;
    Ok(RagServer {
        address: format!("http://{}", serving.running.address()),
        documents: serving.documents,
        chunks: serving.chunks,
        serving: Mutex::new(Some(serving)),
    })
}

#[pymethods]
impl RagServer {
    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    #[getter]
    fn documents(&self) -> usize {
        self.documents
    }

    #[getter]
    fn chunks(&self) -> usize {
        self.chunks
    }

    /// Answers in the making are finished first.
    fn stop(&self, py: Python<'_>) {
        py.detach(|| {
            let mut serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(serving) = serving.take() {
                serving.running.stop();
            }
        });
    }
}
