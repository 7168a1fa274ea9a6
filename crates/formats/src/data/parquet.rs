//! Tables in Parquet: numbers, booleans, text and dates, dictionaries of these; null is missing.

use std::path::Path;
use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, new_empty_array};
use arrow_schema::{DataType, Field, Schema};
use arrow_select::concat::concat;

use super::cells::{Cells, converted};
use super::roles::{self, Role};
use super::table::{Column, Rows, Table};
use super::wanted::Wanted;
use crate::shadow::parquet::{builder, damaged, guarded};
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1 << 14;

pub(crate) fn names(path: &Path) -> Result<Vec<String>> {
    guarded(path, || Ok(schema_names(builder(path)?.schema())))
}

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<Table> {
    let schema = guarded(path, || Ok(builder(path)?.schema().clone()))?;
    let roles = roles::assign(&schema_names(&schema), wanted, path)?;
    let fields = schema.fields().iter().zip(roles);
    let mut columns: Vec<Pending> = fields
        .map(|(field, role)| Pending::new(field, role))
        .collect();
    let count = read_rows(path, &mut columns)?;
    Ok(Table {
        path: path.to_owned(),
        columns: columns
            .into_iter()
            .map(|column| column.finish().map_err(|e| e.at(path)))
            .collect::<Result<_>>()?,
        rows: Rows::Numbered { count, word: "row" },
        notes: Vec::new(),
    })
}

fn schema_names(schema: &Schema) -> Vec<String> {
    let names = schema.fields().iter().map(|field| field.name().clone());
    names.collect()
}

/// A column of which some rows are read.
struct Pending {
    name: String,
    /// What to turn the column into, or why it is left in the file.
    target: std::result::Result<DataType, String>,
    batches: Vec<ArrayRef>,
}

impl Pending {
    fn new(field: &Field, role: Role) -> Self {
        let target = match role {
            Role::Ignore => Err("is ignored".to_owned()),
            _ => target(field.data_type()),
        };
        Self {
            name: field.name().clone(),
            target,
            batches: Vec::new(),
        }
    }

    fn take(&mut self, batch: &ArrayRef) -> Result<()> {
        if let Ok(target) = &self.target {
            self.batches.push(converted(batch, target)?);
        }
        Ok(())
    }

    fn finish(self) -> Result<Column> {
        let cells = match self.target {
            Err(why) => Cells::NotRead(why),
            Ok(target) => cells(&target, &self.batches)?,
        };
        Ok(Column {
            name: self.name,
            cells,
        })
    }
}

fn cells(target: &DataType, batches: &[ArrayRef]) -> Result<Cells> {
    let empty = new_empty_array(target);
    let mut arrays: Vec<_> = batches.iter().map(Arc::as_ref).collect();
    arrays.push(empty.as_ref());
    let whole = concat(&arrays).map_err(|e| Error::malformed(format!("cannot be read: {e}")))?;
    Ok(match target {
        DataType::LargeUtf8 => Cells::Text(whole.as_string().clone()),
        _ => Cells::Numbers(whole),
    })
}

/// What a column is turned into while it is read, or why it cannot be.
fn target(kind: &DataType) -> std::result::Result<DataType, String> {
    use DataType::*;
    match kind {
        Dictionary(_, values) => target(values),
        kind if kind.is_integer() => Ok(kind.clone()),
        kind if kind.is_numeric() => Ok(Float64),
        Null | Boolean | Utf8 | LargeUtf8 | Utf8View => Ok(LargeUtf8),
        Date32 | Date64 | Time32(_) | Time64(_) | Timestamp(..) => Ok(LargeUtf8),
        other => Err(format!("holds {other} values, which are no features")),
    }
}

/// Reads the columns that are wanted; how many rows there are.
fn read_rows(path: &Path, columns: &mut [Pending]) -> Result<usize> {
    let wanted: Vec<usize> = (0..columns.len())
        .filter(|place| columns[*place].target.is_ok())
        .collect();
    let mut rows = 0;
    let mut batches = guarded(path, || open(path, &wanted))?;
    let mut next = || {
        let batch = batches.next().transpose();
        batch.map_err(|e| damaged(path, e))
    };
    while let Some(batch) = guarded(path, &mut next)? {
        rows += batch.num_rows();
        for (place, array) in wanted.iter().zip(batch.columns()) {
            columns[*place].take(array).map_err(|e| e.at(path))?;
        }
    }
    Ok(rows)
}

fn open(path: &Path, wanted: &[usize]) -> Result<ParquetRecordBatchReader> {
    let builder = builder(path)?;
    let mask = ProjectionMask::roots(builder.parquet_schema(), wanted.iter().copied());
    builder
        .with_projection(mask)
        .with_batch_size(ROWS_PER_BATCH)
        .build()
        .map_err(|e| damaged(path, e))
}
