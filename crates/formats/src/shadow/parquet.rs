//! `parquet`: one row per record, lists over models. Row groups are streamed; φ goes to a
//! buffer in which a record's models lie side by side.

use std::fmt::Display;
use std::fs::File;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use arrow_array::RecordBatch;
use arrow_schema::Schema;
use attacks::signals::membership::MemberRow;
use attacks::signals::plane::Number;
use attacks::signals::shadow::Meaning;
use rayon::prelude::*;

use super::draft::Draft;
use super::parquet_column::{self, Flags};
use super::parquet_list::Lengths;
use super::registry::{Format, Writer};
use super::table::ShadowTable;
use super::{folder, parquet_write};
use crate::array::{Array, Axes, Layout, Order, Place};
use crate::element::Element;
use crate::memory::Spill;
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1024;
const WANTED: [&str; 4] = ["id", "label", "phi", "keep"];

pub(crate) struct Parquet;

impl Format for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn layout(&self) -> &'static str {
        "a .parquet with one row per record and list columns phi (lists of lists with \
         augmentations) and keep over the models; id and label optional"
    }

    fn detect(&self, path: &Path) -> bool {
        folder::first_bytes(path).starts_with(b"PAR1")
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        let mut rows = Rows::default();
        let mut batches = guarded(path, || open(path))?;
        let mut next = || {
            let batch = batches.next().transpose();
            batch.map_err(|e| damaged(path, e))
        };
        while let Some(batch) = guarded(path, &mut next)? {
            rows.take(&batch).map_err(|e| e.at(path))?;
        }
        rows.draft(self.name(), path)?.finish()
    }

    fn writer(&self) -> Option<Writer> {
        Some(parquet_write::write)
    }
}

fn open(path: &Path) -> Result<ParquetRecordBatchReader> {
    let builder = builder(path)?;
    check_columns(builder.schema(), path)?;
    let columns = builder.schema().fields().iter().enumerate();
    let wanted = columns.filter(|(_, field)| WANTED.contains(&field.name().as_str()));
    let wanted: Vec<usize> = wanted.map(|(index, _)| index).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted);
    builder
        .with_projection(mask)
        .with_batch_size(ROWS_PER_BATCH)
        .build()
        .map_err(|e| damaged(path, e))
}

/// The file's schema is known; what to read of it is still to be said.
pub fn builder(path: &Path) -> Result<ParquetRecordBatchReaderBuilder<File>> {
    let file = File::open(path).map_err(|e| Error::reading(path, &e))?;
    ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| damaged(path, e))
}

fn check_columns(schema: &Schema, path: &Path) -> Result<()> {
    let names: Vec<_> = schema.fields().iter().map(|f| f.name().as_str()).collect();
    let missing = ["phi", "keep"]
        .into_iter()
        .find(|name| !names.contains(name));
    missing.map_or(Ok(()), |name| {
        let there = names.join(", ");
        Err(Error::missing(format!(
            "there is no column {name}; the columns are: {there}"
        ))
        .at(path)
        .hint(
            "one row per record, list columns phi and keep over the models; token signals of \
             language models have a column logprob",
        ))
    })
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

/// What the rows read so far amount to.
#[derive(Default)]
struct Rows {
    records: usize,
    lengths: Lengths,
    number: Option<Number>,
    phi: Spill,
    keep: Flags,
    ids: Option<Vec<String>>,
    labels: Option<Vec<i64>>,
}

impl Rows {
    fn take(&mut self, batch: &RecordBatch) -> Result<()> {
        let column = |name: &str| batch.column_by_name(name);
        if let (Some(phi), Some(keep)) = (column("phi"), column("keep")) {
            let phi = parquet_column::phi(phi, self.records, &mut self.lengths)?;
            self.number = Some(phi.number);
            self.phi
                .write_all(&phi.bytes)
                .map_err(|e| Error::buffering(&e))?;
            parquet_column::keep(keep, self.records, &mut self.lengths, &mut self.keep)?;
        }
        if let Some(ids) = column("id") {
            let ids = parquet_column::ids(ids, self.records)?;
            self.ids.get_or_insert_default().extend(ids);
        }
        if let Some(labels) = column("label") {
            let labels = parquet_column::labels(labels, self.records)?;
            self.labels.get_or_insert_default().extend(labels);
        }
        self.records += batch.num_rows();
        Ok(())
    }

    fn draft(self, format: &'static str, path: &Path) -> Result<Draft> {
        let (Some(models), Some(number)) = (self.lengths.models, self.number) else {
            return Err(Error::malformed("there are no rows")
                .at(path)
                .hint("write one row per record"));
        };
        let augmentations = self.lengths.augmentations.unwrap_or(1);
        let layout = Layout {
            element: Element::Float(number),
            big_endian: false,
            order: Order::C,
            shape: vec![self.records, models, augmentations],
        };
        let bytes = self.phi.finish().map_err(|e| Error::buffering(&e))?;
        let length = bytes.as_slice().len();
        let array = Array::new(Place::new(path, "phi"), &layout, bytes, 0, length)?;
        let axes = Axes {
            model: Some(1),
            record: 0,
            augmentation: Some(2),
            class: None,
        };
        let (records, keep) = (self.records, &self.keep);
        let row =
            |model: usize| MemberRow::from_fn(records, |record| keep.get(record * models + model));
        Ok(Draft {
            format,
            places: vec![array.place.clone()],
            planes: array.planes(&axes)?,
            meaning: Meaning::Phi,
            records,
            augmentations,
            members: (0..models).into_par_iter().map(row).collect(),
            members_known: true,
            unknown: None,
            ids: self.ids,
            ids_path: None,
            right: None,
            labels: self.labels,
            sources: vec![path.to_owned()],
            notes: Vec::new(),
        })
    }
}
