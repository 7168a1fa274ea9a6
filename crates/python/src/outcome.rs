//! What an audit leaves: its report in every form, and its scores.

use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, StringArray};
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use arrow_schema::{DataType, Field, Schema};
use guestlist::pipeline::{self, Extra, OutFolder, write_figures};
use guestlist::stored::{self, Format, Stored};
use guestlist::{Error, Report};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::errors::Outcome;
use crate::follow::follow;
use crate::table::capsule;

/// An audit, and the files that it left.
pub type Finished = (Audit, Vec<PathBuf>);

/// Shared with the tables of scores that were handed out.
#[pyclass(frozen, module = "guestlist._guestlist")]
pub struct Audit {
    found: Found,
}

/// What there is of an audit.
enum Found {
    Whole(Arc<pipeline::Audit>),
    /// A report that was written earlier; its scores lie beside it.
    Stored(Box<Stored>),
}

impl From<pipeline::Audit> for Audit {
    fn from(audit: pipeline::Audit) -> Self {
        Self {
            found: Found::Whole(Arc::new(audit)),
        }
    }
}

impl From<Stored> for Audit {
    fn from(stored: Stored) -> Self {
        Self {
            found: Found::Stored(Box::new(stored)),
        }
    }
}

impl Audit {
    /// What a run left.
    pub fn left(finished: pipeline::Finished) -> Finished {
        (finished.audit.into(), finished.files)
    }

    pub fn report(&self) -> &Report {
        match &self.found {
            Found::Whole(audit) => &audit.report,
            Found::Stored(stored) => &stored.report,
        }
    }

    fn whole(&self) -> Result<&Arc<pipeline::Audit>, Error> {
        match &self.found {
            Found::Whole(audit) => Ok(audit),
            Found::Stored(_) => Err(Error::usage(
                "a report that was read back has no scores",
                "read the scores.parquet that lies beside it",
            )),
        }
    }
}

#[pymethods]
impl Audit {
    /// The report as `json`, `html`, `markdown`, `junit`, `sarif`, `annex`, `annex-html`, `model-card`,
    /// `cyclonedx`, or as text in lines of so many characters: one screen, or everything (`verbose`).
    fn render(&self, format: &str, width: usize) -> Outcome<String> {
        let format = match format {
            "json" => Format::Json,
            "html" => Format::Html,
            "markdown" => Format::Markdown,
            "junit" => Format::Junit,
            "sarif" => Format::Sarif,
            "annex" => Format::Annex,
            "annex-html" => Format::AnnexHtml,
            "model-card" => Format::ModelCard,
            "cyclonedx" => Format::CycloneDx,
            other => Format::Terminal(report::Style {
                verbose: other == "verbose",
                ..report::Style::plain(width)
            }),
        };
        Ok(match &self.found {
            Found::Whole(audit) => stored::render(&audit.report, format)?,
            Found::Stored(stored) => stored.render(format)?,
        })
    }

    /// The report as `json`, `html` or `markdown`, with no id, text or membership in it, whatever was asked for, and no
    /// path of this machine.
    fn render_without_records(&self, format: &str) -> Outcome<String> {
        let format = match format {
            "json" => Format::Json,
            "html" => Format::Html,
            _ => Format::Markdown,
        };
        let report = self.report().clone().without_records().without_places();
        Ok(stored::render(&report, format)?)
    }

    /// Writes every figure to the folder `figures` in this one.
    fn save_figures(&self, py: Python<'_>, folder: PathBuf) -> Outcome<Vec<PathBuf>> {
        let report = self.report();
        follow(py, &None, move |_| write_figures(&folder, report))
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
        let audit = self.whole()?;
        let written = py.detach(|| OutFolder::prepare(&folder)?.write(audit, &extras))?;
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
        let batch = scores(self.whole()?).map_err(broken)?;
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
