//! Our errors as Python's exceptions, in the same words.

use guestlist::{Error, ErrorKind};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Where the classes are defined.
const CLASSES: &str = "guestlist._errors";

/// Results of this crate's own functions.
pub type Outcome<T> = Result<T, Raised>;

/// An error of ours, or one that Python raised while we called it.
pub enum Raised {
    Ours(Error),
    Python(PyErr),
}

impl<E: Into<Error>> From<E> for Raised {
    fn from(error: E) -> Self {
        Raised::Ours(error.into())
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        match raised {
            Raised::Python(error) => error,
            Raised::Ours(error) => Python::attach(|py| exception(py, &error)),
        }
    }
}

fn exception(py: Python<'_>, error: &Error) -> PyErr {
    if error.is_interruption() {
        return PyKeyboardInterrupt::new_err(error.explained());
    }
    let made = || {
        let class = py.import(CLASSES)?.getattr(class(error))?;
        class.call1((told(error), error.hint.as_deref()))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// All that there is to say, lines of a program below.
fn told(error: &Error) -> String {
    match &error.example {
        Some(example) => format!("{}\n\n{example}", error.explained()),
        None => error.explained(),
    }
}

fn class(error: &Error) -> &'static str {
    match error.kind {
        ErrorKind::Usage
        | ErrorKind::MissingAccess
        | ErrorKind::OutOfRange
        | ErrorKind::Setting => "UsageError",
        ErrorKind::Unreadable | ErrorKind::Exists | ErrorKind::Write => "FileError",
        // Also of arrays and columns that are not there: those are no matter of files.
        ErrorKind::NotFound if error.message.starts_with("no such file") => "FileError",
        ErrorKind::Server
        | ErrorKind::Address
        | ErrorKind::Device
        | ErrorKind::Training
        | ErrorKind::Diverged
        | ErrorKind::Changed => "GuestlistError",
        _ => "InputError",
    }
}
