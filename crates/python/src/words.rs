//! What needs no signals: the registry, and who trains on what.

use guestlist::kinds::KINDS;
use guestlist::{Unit, catalogue};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict, PyList};
use shadows::Splits;
use stats::streams::Seed;

use crate::errors::Outcome;
use crate::follow::{Listener, follow};

/// Every attack: its id, what kind of target it is for, and what it says of itself.
#[pyfunction]
pub fn attacks(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let all = PyList::empty(py);
    for kind in &KINDS {
        for card in (kind.cards)() {
            let entry = PyDict::new(py);
            entry.set_item("id", card.id)?;
            entry.set_item("kind", kind.kind.name())?;
            entry.set_item("summary", card.summary)?;
            entry.set_item("needs", card.access.to_string())?;
            entry.set_item("paper", card.paper)?;
            all.append(entry)?;
        }
    }
    Ok(all)
}

/// What an attack, a measure or a guardrail means.
#[pyfunction]
pub fn explain(id: &str, width: usize) -> Outcome<String> {
    Ok(catalogue::explain(id, width)?)
}

/// Ones and zeros, row by row: which records each model trains on.
#[pyfunction]
pub fn shadow_splits<'py>(
    py: Python<'py>,
    records: usize,
    models: usize,
    seed: u64,
    listener: Listener<'py>,
) -> Outcome<Bound<'py, PyByteArray>> {
    let shadows = models.saturating_sub(1);
    let flags = follow(py, &listener, move |progress| {
        progress.phase("drawing splits", models, Unit::Models);
        let splits = Splits::drawn(records, shadows, Seed(seed), progress)?;
        let mut flags: Vec<u8> = Vec::with_capacity(records * splits.models());
        for model in 0..splits.models() {
            progress.check()?;
            let row = splits.keep(model);
            flags.extend((0..records).map(|record| u8::from(row.get(record))));
        }
        Ok(flags)
    })?;
    Ok(PyByteArray::new(py, &flags))
}
