//! What an audit leaves: its report in every form, and its scores.

use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, Schema};
use guestlist::Error;
use guestlist::pipeline::{self, Extra, OutFolder};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::Outcome;
use crate::table::capsule;

/// Shared with the tables of scores that were handed out.
#[pyclass(frozen, module = "guestlist._guestlist")]
pub struct Audit {
    audit: Arc<pipeline::Audit>,
}

impl From<pipeline::Audit> for Audit {
    fn from(audit: pipeline::Audit) -> Self {
        Self {
            audit: Arc::new(audit),
        }
    }
}

#[pymethods]
impl Audit {
    /// The whole report, as `report.json` has it.
    fn to_json(&self) -> Outcome<String> {
        Ok(self.audit.report.to_json().map_err(broken)?)
    }

    fn to_markdown(&self) -> String {
        report::markdown(&self.audit.report)
    }

    fn to_html(&self) -> String {
        report::html(&self.audit.report)
    }

    /// The report as the command line prints it, in lines of so many characters.
    fn to_text(&self, width: usize) -> String {
        let style = report::Style {
            colour: false,
            width,
        };
        report::terminal(&self.audit.report, style)
    }

    /// Writes the files of an audit to a folder: all of them, or none.
    fn save(
        &self,
        py: Python<'_>,
        folder: PathBuf,
        junit: bool,
        markdown: bool,
        sarif: bool,
        figures: bool,
    ) -> Outcome<Vec<PathBuf>> {
        let extras = [
            (junit, Extra::Junit),
            (markdown, Extra::Markdown),
            (sarif, Extra::Sarif),
            (figures, Extra::Figures),
        ];
        let asked = extras.iter().filter(|(asked, _)| *asked);
        let extras: Vec<Extra> = asked.map(|(_, extra)| *extra).collect();
        let written = py.detach(|| OutFolder::prepare(&folder)?.write(&self.audit, &extras))?;
        Ok(written)
    }

    /// The scores as a stream of Arrow, by its C interface.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> Outcome<Bound<'py, PyCapsule>> {
        // A producer may leave a wish for other types unanswered.
        drop(requested_schema);
        let batch = scores(&self.audit).map_err(broken)?;
        let schema = batch.schema();
        let batches = RecordBatchIterator::new([Ok(batch)], schema);
        capsule(py, Box::new(batches)).map_err(crate::errors::Raised::Python)
    }
}

/// One row per record, with the columns of `scores.parquet`.
fn scores(audit: &Arc<pipeline::Audit>) -> Result<RecordBatch, ArrowError> {
    let records = audit.members.len();
    let ids: StringArray = match &audit.ids {
        Some(ids) => ids.iter().map(Some).collect(),
        None => (0..records).map(|row| Some(row.to_string())).collect(),
    };
    let members: BooleanArray = audit.members.iter().copied().collect();
    let mut fields = vec![
        Field::new("id", DataType::Utf8, false),
        Field::new("member", DataType::Boolean, true),
    ];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(ids), Arc::new(members)];
    for (place, (id, _)) in audit.scores.iter().enumerate() {
        fields.push(Field::new(id, DataType::Float64, true));
        columns.push(Arc::new(column(audit, place)));
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
}

/// An attack's scores where the audit has them; null where it abstained.
fn column(audit: &Arc<pipeline::Audit>, place: usize) -> Float64Array {
    let values = audit.scores[place].1.as_slice();
    let start = NonNull::from(values).cast::<u8>();
    // SAFETY: the values lie in the audit, which the buffer keeps alive and nobody changes.
    let buffer = unsafe {
        Buffer::from_custom_allocation(
            start,
            size_of_val(values),
            Arc::<pipeline::Audit>::clone(audit),
        )
    };
    let judged = values.iter().map(|value| !value.is_nan()).collect();
    Float64Array::new(
        ScalarBuffer::from(buffer),
        Some(NullBuffer::new(judged)).filter(|nulls| nulls.null_count() > 0),
    )
}

fn broken(error: impl std::fmt::Display) -> Error {
    Error::usage(
        format!("the report cannot be rendered: {error}"),
        "this is a fault of guestlist: please report it",
    )
}
