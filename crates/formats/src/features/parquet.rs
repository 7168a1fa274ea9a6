//! Features in Parquet: one row per record, a list column, or a column per number; `member` and
//! `id` beside them.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::table::{Draft, FeatureTable};
use super::{LAYERS, Wanted, layer_among};
use crate::convert::{Misfits, convert};
use crate::parts::{Parts, is_index};
use crate::shadow::parquet_column::{self, check_nulls};
use crate::shadow::parquet_list::{is_list, items};
use crate::{Error, ErrorKind, Result};

const ROWS_PER_BATCH: usize = 4096;
/// Numbers that are no features.
const OTHERS: [&str; 4] = ["member", "id", "label", "labels"];

/// Where the features lie.
enum Layer {
    List(String),
    /// A column per number, in the order of the file.
    Columns(Vec<String>),
}

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<FeatureTable> {
    if wanted.target > 0 {
        return Err(Error::new(
            ErrorKind::OutOfRange,
            format!("there is no model {}: the table has one", wanted.target),
        )
        .at(path)
        .hint("leave --target out"));
    }
    let parts = Parts::open(path)?;
    let layer = layer(parts.schema(), wanted, path)?;
    let mut rows = Rows::default();
    let wanted = |field: &Field| {
        let name = field.name().as_str();
        name == "member" || name == "id" || layer.holds(name)
    };
    for batch in parts.read(wanted, ROWS_PER_BATCH) {
        let batch = batch?;
        let taken = rows.take(&batch.columns, &layer);
        taken.map_err(|e| e.at(&batch.path))?;
    }
    let Some(width) = rows.width else {
        return Err(Error::malformed("there are no rows")
            .at(path)
            .hint("write one row per record"));
    };
    Draft {
        format: "Parquet features",
        layer: layer.name(),
        width,
        values: rows.values,
        members: rows.members,
        ids: rows.ids,
        models: 1,
    }
    .finish(path)
}

impl Layer {
    fn name(&self) -> String {
        match self {
            Layer::List(name) => name.clone(),
            Layer::Columns(names) => format!("{} columns", names.len()),
        }
    }

    fn holds(&self, column: &str) -> bool {
        match self {
            Layer::List(name) => name == column,
            Layer::Columns(names) => names.iter().any(|name| name == column),
        }
    }
}

fn layer(schema: &Schema, wanted: &Wanted, path: &Path) -> Result<Layer> {
    let fields = schema.fields();
    let listed = |kind: &DataType| {
        matches!(
            kind,
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..)
        )
    };
    let lists = fields.iter().filter(|field| listed(field.data_type()));
    let lists: Vec<&str> = lists.map(|field| field.name().as_str()).collect();
    let numbers = fields.iter().filter(|field| {
        let name = field.name().as_str();
        field.data_type().is_numeric() && !OTHERS.contains(&name) && !is_index(name)
    });
    let numbers: Vec<String> = numbers.map(|field| field.name().clone()).collect();
    let has_list = LAYERS.iter().any(|layer| lists.contains(layer));
    if wanted.layer.is_none() && !has_list && !numbers.is_empty() {
        return Ok(Layer::Columns(numbers));
    }
    Ok(Layer::List(
        layer_among(&lists, wanted, "list column", path)?.to_owned(),
    ))
}

/// What the rows read so far amount to.
#[derive(Default)]
struct Rows {
    read: usize,
    width: Option<usize>,
    values: Vec<f64>,
    members: Option<Vec<bool>>,
    ids: Option<Vec<String>>,
}

impl Rows {
    fn take(&mut self, batch: &RecordBatch, layer: &Layer) -> Result<()> {
        match layer {
            Layer::List(name) => self.take_list(name, batch)?,
            Layer::Columns(names) => self.take_columns(names, batch)?,
        }
        if let Some(column) = batch.column_by_name("member") {
            let members = member(column, self.read)?;
            self.members.get_or_insert_default().extend(members);
        }
        if let Some(column) = batch.column_by_name("id") {
            let ids = parquet_column::ids(column, self.read)?;
            self.ids.get_or_insert_default().extend(ids);
        }
        self.read += batch.num_rows();
        Ok(())
    }

    fn take_list(&mut self, name: &str, batch: &RecordBatch) -> Result<()> {
        let Some(column) = batch.column_by_name(name) else {
            return Ok(());
        };
        check_nulls(name, column, |row| self.read + row)?;
        let (items, lengths) = items(column);
        if is_list(&items) {
            return Err(Error::unsupported(format!("{name} holds lists of lists"))
                .hint("features are one list of numbers per record"));
        }
        let first = lengths.first().copied().unwrap_or(0);
        let width = *self.width.get_or_insert(first);
        let odd = lengths.iter().position(|length| *length != width);
        if let Some(row) = odd.filter(|_| batch.num_rows() > 0) {
            let (length, row) = (lengths[row], self.read + row);
            return Err(Error::mismatch(format!(
                "{name}, row {row} has {length} numbers, the first row {width}"
            ))
            .hint("every record has a vector of the same length"));
        }
        check_nulls(name, &items, |item| self.read + item / width.max(1))?;
        self.values.extend(numbers(name, &items)?);
        Ok(())
    }

    fn take_columns(&mut self, names: &[String], batch: &RecordBatch) -> Result<()> {
        let mut columns = Vec::with_capacity(names.len());
        for name in names {
            let Some(column) = batch.column_by_name(name) else {
                continue;
            };
            check_nulls(name, column, |row| self.read + row)?;
            columns.push(numbers(name, column)?);
        }
        self.width = Some(columns.len());
        for row in 0..batch.num_rows() {
            self.values.extend(columns.iter().map(|column| column[row]));
        }
        Ok(())
    }
}

fn numbers(name: &str, column: &ArrayRef) -> Result<Vec<f64>> {
    let kind = column.data_type();
    let converted = match kind.is_numeric() {
        true => convert(column, &DataType::Float64, Misfits::BecomeNull).ok(),
        false => None,
    };
    match converted {
        Some(column) => Ok(column.as_primitive::<Float64Type>().values().to_vec()),
        None => {
            Err(Error::unsupported(format!("{name} holds {kind} values"))
                .hint("features are numbers"))
        }
    }
}

/// Booleans, or zeros and ones.
pub fn member(column: &ArrayRef, first_row: usize) -> Result<Vec<bool>> {
    check_nulls("member", column, |row| first_row + row)?;
    let known = known_member(column, first_row)?;
    Ok(known.into_iter().flatten().collect())
}

/// The same, and nothing where the column is null.
pub fn known_member(column: &ArrayRef, first_row: usize) -> Result<Vec<Option<bool>>> {
    if *column.data_type() == DataType::Null {
        return Ok(vec![None; column.len()]);
    }
    if let Some(flags) = column.as_boolean_opt() {
        return Ok(flags.iter().collect());
    }
    let values = numbers("member", column).map_err(|error| {
        error.hint("member is true (or 1) where the record was trained on, else false (or 0)")
    })?;
    let flag = |(row, value): (usize, &f64)| match *value {
        _ if column.is_null(row) => Ok(None),
        0.0 => Ok(Some(false)),
        1.0 => Ok(Some(true)),
        other => Err(
            Error::malformed(format!("member, row {} is {other}", first_row + row))
                .hint("member is true (or 1) where the record was trained on, else false (or 0)"),
        ),
    };
    values.iter().enumerate().map(flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_pandas_saved_is_no_feature() {
        let field = |name: &str, kind| Field::new(name, kind, true);
        let schema = Schema::new(vec![
            field("member", DataType::Boolean),
            field("x", DataType::Float64),
            field("__index_level_0__", DataType::Int64),
        ]);
        let layer = layer(&schema, &Wanted::default(), Path::new("f.parquet")).unwrap();
        assert!(layer.holds("x") && !layer.holds("__index_level_0__"));
    }
}
