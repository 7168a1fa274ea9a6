//! Tables by Arrow's C interface: batches come and go without a copy.

use std::path::Path;

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use formats::tokens::{Rows, from_batches};
use guestlist::Error;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::{Outcome, Raised};

/// The name that the interface gives its capsules.
const STREAM: &std::ffi::CStr = c"arrow_array_stream";

/// The capsule that `__arrow_c_stream__` gives.
pub type Stream<'py> = Bound<'py, PyCapsule>;

/// The rows of a table of token signals, read as they come.
pub fn rows(stream: &Stream<'_>, name: &Path) -> Outcome<Rows> {
    let pointer = stream
        .pointer_checked(Some(STREAM))
        .map_err(Raised::Python)?;
    // SAFETY: a capsule of that name holds such a stream, by the interface's own rules. The stream
    // is moved out, and what stays behind is marked as released.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr().cast()) };
    let reader = reader.map_err(|error| {
        Error::usage(
            format!("{}: cannot be read: {error}", name.display()),
            "give a table that was not read before, with one row per text",
        )
    })?;
    let schema = reader.schema();
    Ok(from_batches(name, &schema, reader)?)
}

/// A capsule that hands out these batches.
pub fn capsule<'py>(
    py: Python<'py>,
    batches: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(batches), STREAM)
}
