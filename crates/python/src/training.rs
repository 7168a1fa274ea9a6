//! Models that Python trains: what is missing, and each model as soon as it is there.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use formats::data::Units;
use guestlist::Error;
use guestlist::kinds::classifier::{Begun, OutsideRequest, OutsideSession};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;
use shadows::{Handed, People, TrainingData};

use crate::array::{NamedArray, held};
use crate::errors::{Outcome, Raised};
use crate::follow::{Listener, follow};
use crate::options;
use crate::outcome::{Audit, Finished};

/// What a classifier is trained on, as Python holds it: class numbers, of each record the number that its
/// copies share, whose it is, and a digest of everything.
type Given<'py> = (
    NamedArray<'py>,
    NamedArray<'py>,
    Option<Vec<Option<String>>>,
    String,
);

/// An audit whose models Python trains.
#[pyclass(frozen, module = "guestlist._guestlist")]
pub struct Training {
    /// Nothing once the report is there.
    session: Mutex<Option<OutsideSession>>,
    models: usize,
    open: Vec<usize>,
    notes: Vec<String>,
}

/// Readies the folder of an audit.
#[pyfunction]
pub fn begin_training(
    py: Python<'_>,
    given: Given<'_>,
    options: &str,
    listener: Listener<'_>,
) -> Outcome<Training> {
    let mut request: OutsideRequest = options::request(options)?;
    request.audit.source = guestlist::pipeline::Source::Program;
    let (labels, copies, groups, digest) = given;
    let labels = numbers(&labels)?;
    let copies = Units::by_key(numbers(&copies)?);
    let people = groups.map(People::named);
    let begun = follow(py, &listener, move |_| {
        let subject = TrainingData::given(labels, Some(copies), people, digest)?;
        OutsideSession::begin(request, subject)
    })?;
    let Begun {
        session,
        open,
        notes,
    } = begun;
    Ok(Training {
        models: session.models().count(),
        session: Mutex::new(Some(session)),
        open,
        notes,
    })
}

#[pymethods]
impl Training {
    /// The audited model and its shadows.
    #[getter]
    fn models(&self) -> usize {
        self.models
    }

    /// Models that are left to train, as they were at the beginning.
    #[getter]
    fn open(&self) -> Vec<usize> {
        self.open.clone()
    }

    /// What became of models that were there.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The records that a model trains on, four bytes each, little end first.
    fn rows<'py>(&self, py: Python<'py>, model: usize) -> Outcome<Bound<'py, PyByteArray>> {
        let rows = self.with(|session| Ok(session.models().rows(model)))?;
        let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        Ok(PyByteArray::new(py, &bytes))
    }

    fn seed(&self, model: usize) -> Outcome<u64> {
        self.with(|session| Ok(session.models().seed(model)))
    }

    /// Where a model's log goes.
    fn log(&self, model: usize) -> Outcome<PathBuf> {
        self.with(|session| Ok(session.models().store().log(model)))
    }

    /// Keeps a trained model: φ [records] or [records, augmentations], whether each answer was right in the
    /// same shape, and how it was trained as JSON.
    fn commit(
        &self,
        py: Python<'_>,
        model: usize,
        phi: NamedArray<'_>,
        right: NamedArray<'_>,
        record: String,
        seconds: f64,
    ) -> Outcome<()> {
        let handed = Handed {
            model,
            phi: held(&phi)?.array,
            right: Some(held(&right)?.array),
            record: record.into_bytes(),
            took: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
        };
        py.detach(|| self.with(|session| session.commit(&handed)))
    }

    /// The report, once every model is there.
    fn finish(&self, py: Python<'_>, listener: Listener<'_>) -> Outcome<Finished> {
        let session = self.session.lock();
        let session = session.unwrap_or_else(PoisonError::into_inner).take();
        let session = session.ok_or_else(over)?;
        let finished = follow(py, &listener, move |progress| session.finish(progress))?;
        Ok(Audit::left(finished))
    }

    /// Lets go of the folder; what was kept stays.
    fn close(&self) {
        drop(
            self.session
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }
}

impl Training {
    fn with<T>(&self, work: impl FnOnce(&OutsideSession) -> Result<T, Error>) -> Outcome<T> {
        let session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let session = session.as_ref().ok_or_else(over)?;
        Ok(work(session)?)
    }
}

fn over() -> Error {
    Error::usage("the audit is over", "begin another")
}

/// Whole numbers from 0 that Python has checked already.
fn numbers(array: &NamedArray<'_>) -> Outcome<Vec<u32>> {
    let numbers = held(array)?.numbers()?;
    let whole = numbers.into_iter().enumerate().map(|(record, number)| {
        let whole = number as u32;
        match f64::from(whole) == number {
            true => Ok(whole),
            false => Err(Raised::from(Error::usage(
                format!("{} of record {record} is {number}", array.0),
                "give whole numbers from 0",
            ))),
        }
    });
    whole.collect()
}
