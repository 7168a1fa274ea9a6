//! Our errors as Python's exceptions, in the same words.

use collect::ErrorKind;
use guestlist::Error;
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
    if matches!(error, Error::Interrupted | Error::Stopped { .. }) {
        return PyKeyboardInterrupt::new_err(error.to_string());
    }
    let made = || {
        let class = py.import(CLASSES)?.getattr(class(error))?;
        class.call1((error.to_string(), hint(error)))
    };
    match made() {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

fn class(error: &Error) -> &'static str {
    match error {
        Error::Usage { .. } | Error::Attack(_) => "UsageError",
        Error::Judge(_) => "InputError",
        Error::Collect(error) => match error.kind {
            ErrorKind::OutOfRange | ErrorKind::Setting => "UsageError",
            ErrorKind::Unreadable | ErrorKind::Exists | ErrorKind::Write => "FileError",
            // Also of arrays and columns that are not there: those are no matter of files.
            ErrorKind::NotFound if error.message.starts_with("no such file") => "FileError",
            _ => "InputError",
        },
        _ => "GuestlistError",
    }
}

fn hint(error: &Error) -> Option<&str> {
    match error {
        Error::Usage { hint, .. } => Some(hint),
        Error::Attack(error) => error.hint.as_deref(),
        Error::Judge(error) => Some(&error.hint),
        Error::Collect(error) => error.hint.as_deref(),
        _ => None,
    }
}
