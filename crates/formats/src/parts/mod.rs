//! Parquet as it lies: one file, a folder of files that are one table together, or objects in a
//! store. Whatever it is, it is read part after part in the order of the paths, row group by row
//! group, and never held as a whole.
//!
//! Spark, Ray and Hugging Face's `datasets` write such folders. Names that begin with `_` or `.` are
//! their own business (`_SUCCESS`, checksums) and are passed over; a folder `name=value` gives its
//! rows a column that the files leave out.

mod agreed;
mod batches;
mod chunks;
mod listing;
mod object;
mod ranges;

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use rayon::prelude::*;

pub(crate) use self::agreed::check_names;
pub use self::batches::{Batch, Batches};
use self::chunks::Chunks;
use self::listing::{Listed, Value};
pub use self::listing::{is_folder, is_parquet};
pub use self::object::{Stored, is_object, stored};
use crate::{Error, Result};

/// Parquet that is known to be whole, with one schema throughout. Nothing but footers is read yet.
pub struct Parts {
    path: PathBuf,
    parts: Vec<Part>,
    schema: SchemaRef,
}

/// One file or object.
struct Part {
    path: Arc<Path>,
    chunks: Chunks,
    metadata: ArrowReaderMetadata,
    /// What the folders that it lies in say of its rows.
    values: Vec<Value>,
}

impl Parts {
    /// A file, a folder or an object. What disagrees is named: the file, and the column.
    pub fn open(path: &Path) -> Result<Self> {
        let listed = listing::parts(path)?;
        let parts = (listed.into_par_iter())
            .map(Part::open)
            .collect::<Vec<_>>()
            // In order: the first part that is wrong is named, whichever core found it.
            .into_iter()
            .collect::<Result<Vec<_>>>()?;
        let schema = agreed::schema(&parts)?;
        Ok(Self {
            path: path.to_owned(),
            parts,
            schema,
        })
    }

    /// The columns of the files, then those that folders stand for.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// What the files say of themselves beside their rows, under this name.
    pub fn said<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let schemas = self.parts.iter().map(|part| part.metadata.schema());
        schemas.filter_map(move |schema| schema.metadata().get(name).map(|text| text.as_ref()))
    }

    /// Whether folders stand for the column, which are names and no numbers, though a year may look like one.
    pub fn is_of_folders(&self, name: &str) -> bool {
        let mut further = self.parts.iter().flat_map(Part::further);
        further.any(|value| value.name == name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.schema.field_with_name(name).is_ok()
    }

    pub fn names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// Rows of all parts, as their footers say.
    pub fn rows(&self) -> usize {
        let rows = |part: &Part| part.metadata.metadata().file_metadata().num_rows();
        let rows = self.parts.iter().map(|part| rows(part).max(0) as usize);
        rows.sum()
    }

    /// The columns that are wanted, so many rows at a time, in the order of the schema.
    pub fn read(self, wanted: impl Fn(&Field) -> bool, rows_per_batch: usize) -> Batches {
        let fields = self.schema.fields().iter();
        let wanted: Vec<Arc<Field>> = fields.filter(|field| wanted(field)).cloned().collect();
        Batches::new(self.path, self.parts, Schema::new(wanted), rows_per_batch)
    }
}

impl Part {
    fn open(listed: Listed) -> Result<Self> {
        let Listed { path, values } = listed;
        let (chunks, metadata) = guarded(&path, || {
            let mut chunks = Chunks::open(&path)?;
            let options = ArrowReaderOptions::new();
            let metadata = ArrowReaderMetadata::load(&chunks, options);
            let metadata = metadata.map_err(|error| chunks.damaged(&path, &error))?;
            chunks.learn(metadata.metadata());
            Ok((chunks, metadata))
        })?;
        let part = Self {
            path: path.into(),
            chunks,
            metadata,
            values,
        };
        part.check_values()?;
        Ok(part)
    }

    /// The columns that the folders stand for and the file leaves out.
    fn further(&self) -> impl Iterator<Item = &Value> {
        let own = self.metadata.schema();
        let further = self.values.iter();
        further.filter(|value| own.field_with_name(&value.name).is_err())
    }
}

/// The type of a column that folders stand for: `member` is a truth, all others are names, so that
/// no year is taken for a score.
fn partition_type(name: &str) -> DataType {
    match name {
        "member" => DataType::Boolean,
        _ => DataType::Utf8,
    }
}

/// Whether a column is an index as pandas saves it unasked, which says nothing of a record.
pub(crate) fn is_index(name: &str) -> bool {
    let level = name.strip_prefix("__index_level_");
    let level = level.and_then(|rest| rest.strip_suffix("__"));
    level.is_some_and(|level| !level.is_empty() && level.bytes().all(|sign| sign.is_ascii_digit()))
}

/// Every file below a path that is one table: for digests and for lists of what was read. A path
/// that is no folder of Parquet is itself.
pub fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
    match is_folder(path) {
        true => {
            let parts = listing::parts(path)?.into_iter();
            Ok(parts.map(|part| part.path).collect())
        }
        false => Ok(vec![path.to_owned()]),
    }
}

/// The decoder of pages panics on some that are damaged; here that is an error like any other.
pub fn guarded<T>(path: &Path, decode: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(decode))
        .unwrap_or_else(|_| Err(damaged(path, "a page cannot be decoded")))
}

pub fn damaged(path: &Path, why: impl Display) -> Error {
    Error::malformed(format!("is not a whole Parquet file: {why}"))
        .at(path)
        .hint("write or copy it again")
}

#[cfg(test)]
mod tests;
