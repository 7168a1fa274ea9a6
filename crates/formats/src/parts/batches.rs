//! Rows of all parts, so many at a time, with the place that each batch came from.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::new_null_array;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};

use super::listing::{NO_VALUE, Value};
use super::{Part, guarded, partition_type};
use crate::convert::{Misfits, convert};
use crate::left_out::Holds;
use crate::{Error, Result};

/// Some rows of one part.
pub struct Batch {
    pub columns: RecordBatch,
    /// The file or object.
    pub path: Arc<Path>,
    /// Rows of it that came before.
    pub first: usize,
}

pub struct Batches {
    path: PathBuf,
    parts: VecDeque<Part>,
    open: Option<Open>,
    wanted: Schema,
    rows_per_batch: usize,
}

/// The part that is being read.
struct Open {
    part: Part,
    reader: ParquetRecordBatchReader,
    read: usize,
}

impl Batches {
    pub(super) fn new(
        path: PathBuf,
        parts: Vec<Part>,
        wanted: Schema,
        rows_per_batch: usize,
    ) -> Self {
        Self {
            path,
            parts: parts.into(),
            open: None,
            wanted,
            rows_per_batch,
        }
    }

    /// What was opened: a file, a folder or an object.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The next rows; nothing once all are read.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(part) = self.parts.pop_front() else {
                    return Ok(None);
                };
                self.open = Some(Open::new(part, &self.wanted, self.rows_per_batch)?);
                continue;
            };
            match open.next(&self.wanted)? {
                Some(batch) => return Ok(Some(batch)),
                None => self.open = None,
            }
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

impl Open {
    fn new(part: Part, wanted: &Schema, rows_per_batch: usize) -> Result<Self> {
        let reader = guarded(&part.path, || {
            let (chunks, metadata) = (part.chunks.clone(), part.metadata.clone());
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(chunks, metadata);
            let fields = builder.schema().fields().iter().enumerate();
            let there = |field: &Field| wanted.field_with_name(field.name()).is_ok();
            let places = fields.filter(|(_, field)| there(field));
            let places: Vec<usize> = places.map(|(place, _)| place).collect();
            let mask = ProjectionMask::roots(builder.parquet_schema(), places);
            builder
                .with_projection(mask)
                .with_batch_size(rows_per_batch)
                .build()
                .map_err(|error| part.chunks.damaged(&part.path, &error))
        })?;
        Ok(Self {
            part,
            reader,
            read: 0,
        })
    }

    fn next(&mut self, wanted: &Schema) -> Result<Option<Batch>> {
        let part = &self.part;
        let batch = guarded(&part.path, || {
            let batch = self.reader.next().transpose();
            batch.map_err(|error| part.chunks.damaged(&part.path, &error))
        })?;
        let Some(batch) = batch else {
            return Ok(None);
        };
        let first = self.read;
        self.read += batch.num_rows();
        part.check_agreement(&batch, first)?;
        Ok(Some(Batch {
            columns: part.complete(batch, wanted)?,
            path: part.path.clone(),
            first,
        }))
    }
}

impl Part {
    /// With the columns that folders stand for, and in the order that all parts have.
    fn complete(&self, batch: RecordBatch, wanted: &Schema) -> Result<RecordBatch> {
        let own = batch.schema();
        let names = own.fields().iter().map(|field| field.name());
        let same_names = names.eq(wanted.fields().iter().map(|field| field.name()));
        let untyped = |field: &Arc<Field>| *field.data_type() == DataType::Null;
        if same_names && !own.fields().iter().any(untyped) {
            return Ok(batch);
        }
        let rows = batch.num_rows();
        let column = |field: &Arc<Field>| -> (Arc<Field>, ArrayRef) {
            let stored = own.column_with_name(field.name());
            // Writers store a column that has nothing in it without a type.
            let typed = |(_, own): &(usize, &Field)| *own.data_type() != DataType::Null;
            if let Some((place, own)) = stored.filter(typed) {
                return (Arc::new(own.clone()), batch.column(place).clone());
            }
            let mut values = self.values.iter().filter(|_| stored.is_none());
            let value = values.find(|value| value.name == *field.name());
            let filled = value.map(|value| value.column(rows));
            let filled = filled.unwrap_or_else(|| new_null_array(field.data_type(), rows));
            let kind = filled.data_type().clone();
            (Arc::new(Field::new(field.name(), kind, true)), filled)
        };
        let (fields, columns): (Vec<_>, Vec<_>) = wanted.fields().iter().map(column).unzip();
        let schema: SchemaRef = Arc::new(Schema::new(fields));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, columns, &options)
            .map_err(|error| Error::malformed(error.to_string()).at(&self.path))
    }

    /// What a folder says of its rows, and what they say of themselves, is the same.
    fn check_agreement(&self, batch: &RecordBatch, first: usize) -> Result<()> {
        for value in &self.values {
            let Some(own) = batch.column_by_name(&value.name) else {
                continue;
            };
            // Moments are written in many ways.
            let kind = own.data_type();
            if Holds::of(kind) == Holds::Others && *kind != DataType::Null {
                continue;
            }
            let Ok(texts) = convert(own, &DataType::LargeUtf8, Misfits::BecomeNull) else {
                continue;
            };
            let texts = texts.as_string::<i64>();
            let odd = texts.iter().position(|text| !value.agrees(text));
            if let Some(row) = odd {
                let (name, folder) = (&value.name, value.value.as_deref().unwrap_or(NO_VALUE));
                let own = texts.is_valid(row).then(|| texts.value(row));
                let own = own.unwrap_or("null");
                return Err(Error::malformed(format!(
                    "column {name}, row {} is {own}, but its folder says {name}={folder}",
                    first + row
                ))
                .at(&self.path)
                .hint(
                    "one of them is wrong: rename the folder, or mend the column or take it out",
                ));
            }
        }
        Ok(())
    }

    /// A truth that a folder's name writes in its own way is refused before anything is read.
    pub(super) fn check_values(&self) -> Result<()> {
        for value in &self.values {
            let wrong = partition_type(&value.name) == DataType::Boolean
                && value.value.is_some()
                && value.truth().is_none();
            if wrong {
                let said = value.value.as_deref().unwrap_or_default();
                return Err(
                    Error::malformed(format!("its folder says {}={said}", value.name))
                        .at(&self.path)
                        .hint(
                            "member is true or 1 where rows were trained on, false or 0 where not",
                        ),
                );
            }
        }
        Ok(())
    }
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "1.0" => Some(true),
        "false" | "0" | "0.0" => Some(false),
        _ => None,
    }
}

impl Value {
    fn truth(&self) -> Option<bool> {
        truth(self.value.as_deref()?)
    }

    /// Whether a row says the same, however it is written: true is 1, and 007 is 7.
    fn agrees(&self, row: Option<&str>) -> bool {
        let (Some(own), Some(row)) = (self.value.as_deref(), row) else {
            return self.value.is_none() == row.is_none();
        };
        let number = |text: &str| text.parse::<f64>().ok();
        let same_truth = truth(own).is_some() && truth(own) == truth(row);
        let same_number = number(own).is_some() && number(own) == number(row);
        own == row || same_truth || same_number
    }

    /// The same in every row.
    fn column(&self, rows: usize) -> ArrayRef {
        let rows = 0..rows;
        match partition_type(&self.name) {
            DataType::Boolean => Arc::new(rows.map(|_| self.truth()).collect::<BooleanArray>()),
            _ => {
                let text = self.value.as_deref();
                Arc::new(rows.map(|_| text).collect::<StringArray>())
            }
        }
    }
}
