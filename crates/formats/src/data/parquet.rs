//! Tables in Parquet: numbers, booleans, text and dates, dictionaries of these; null is missing.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, new_empty_array};
use arrow_schema::{DataType, Field};
use arrow_select::concat::concat;

use super::cells::{Cells, converted};
use super::roles::{self, Role};
use super::table::{Column, Rows, Table};
use super::wanted::Wanted;
use crate::parts::{Parts, is_index};
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1 << 14;

pub(crate) fn names(path: &Path) -> Result<Vec<String>> {
    Ok(Parts::open(path)?.names())
}

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<Table> {
    let parts = Parts::open(path)?;
    let roles = roles::assign(&parts.names(), wanted, path)?;
    let schema = parts.schema().clone();
    let fields = schema.fields().iter().zip(roles);
    let mut columns: Vec<Pending> = fields
        .map(|(field, role)| Pending::new(field, role))
        .collect();
    let count = read_rows(parts, &mut columns)?;
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
            Role::Look if is_index(field.name()) => Err("is an index that pandas saved".to_owned()),
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
fn read_rows(parts: Parts, columns: &mut [Pending]) -> Result<usize> {
    let wanted: Vec<usize> = (0..columns.len())
        .filter(|place| columns[*place].target.is_ok())
        .collect();
    let names: Vec<String> = wanted
        .iter()
        .map(|&place| columns[place].name.clone())
        .collect();
    let mut rows = 0;
    for batch in parts.read(|field: &Field| names.contains(field.name()), ROWS_PER_BATCH) {
        let batch = batch?;
        rows += batch.columns.num_rows();
        for (place, array) in wanted.iter().zip(batch.columns.columns()) {
            columns[*place].take(array).map_err(|e| e.at(&batch.path))?;
        }
    }
    Ok(rows)
}
