//! Parquet: one row per text, one list per signal.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field};

use super::ROWS_PER_BATCH;
use super::raw::{Batches, Integers, Numbers, RawRow, RawRows};
use crate::convert::{Misfits, convert};
use crate::parts::Parts;
use crate::texts::values::{Flag, Word};
use crate::{Error, Result};

/// The columns that are read; others may be there.
const COLUMNS: [&str; 20] = [
    "id",
    "member",
    "date",
    "text",
    "token_ids",
    "ref_token_ids",
    "logprob",
    "rank",
    "rank_cap",
    "mean",
    "variance",
    "max_logprob",
    "ref_logprob",
    "ref_rank",
    "ref_rank_cap",
    "ref_mean",
    "ref_variance",
    "ref_max_logprob",
    "lowercase_logprob",
    "secret_tokens",
];

pub fn recognise(path: &Path) -> bool {
    Parts::open(path)
        .is_ok_and(|parts| (parts.has("logprob") || parts.has("text")) && !parts.has("phi"))
}

pub fn read(path: &Path) -> Result<Batches> {
    let parts = Parts::open(path)?;
    let there = |name: &&str| parts.has(name);
    let wanted: Vec<&str> = COLUMNS.into_iter().filter(there).collect();
    check_columns(&wanted, path)?;
    let wanted = |field: &Field| COLUMNS.contains(&field.name().as_str());
    let batches = parts.read(wanted, ROWS_PER_BATCH).map(|batch| {
        let batch = batch?;
        let rows = rows(&batch.columns).map_err(|error| error.at(&batch.path))?;
        Ok(RawRows {
            rows,
            place: Some((batch.path, batch.first)),
        })
    });
    Ok(Box::new(batches))
}

/// There must be something to read.
pub(crate) fn check_columns(there: &[&str], path: &Path) -> Result<()> {
    if there.contains(&"logprob") || there.contains(&"text") {
        return Ok(());
    }
    Err(
        Error::missing("has neither a column logprob nor a column text")
            .at(path)
            .hint("token signals have one row per text with lists such as logprob"),
    )
}

pub(crate) fn rows(batch: &RecordBatch) -> Result<Vec<RawRow>> {
    let columns = Columns {
        id: column(batch, "id", &DataType::Utf8)?,
        member: column(batch, "member", &DataType::Float64)?,
        date: column(batch, "date", &DataType::Utf8)?,
        text: column(batch, "text", &DataType::Utf8)?,
        token_ids: integers(batch, "token_ids")?,
        ref_token_ids: integers(batch, "ref_token_ids")?,
        logprob: numbers(batch, "logprob")?,
        rank: integers(batch, "rank")?,
        rank_cap: column(batch, "rank_cap", &DataType::Int64)?,
        mean: numbers(batch, "mean")?,
        variance: numbers(batch, "variance")?,
        max_logprob: numbers(batch, "max_logprob")?,
        ref_logprob: numbers(batch, "ref_logprob")?,
        ref_rank: integers(batch, "ref_rank")?,
        ref_rank_cap: column(batch, "ref_rank_cap", &DataType::Int64)?,
        ref_mean: numbers(batch, "ref_mean")?,
        ref_variance: numbers(batch, "ref_variance")?,
        ref_max_logprob: numbers(batch, "ref_max_logprob")?,
        lowercase_logprob: numbers(batch, "lowercase_logprob")?,
        secret_tokens: integers(batch, "secret_tokens")?,
    };
    Ok((0..batch.num_rows()).map(|row| columns.row(row)).collect())
}

/// Columns in the one type that each is read as; absent ones are none.
struct Columns {
    id: Option<ArrayRef>,
    member: Option<ArrayRef>,
    date: Option<ArrayRef>,
    text: Option<ArrayRef>,
    token_ids: Option<ArrayRef>,
    ref_token_ids: Option<ArrayRef>,
    logprob: Option<ArrayRef>,
    rank: Option<ArrayRef>,
    rank_cap: Option<ArrayRef>,
    mean: Option<ArrayRef>,
    variance: Option<ArrayRef>,
    max_logprob: Option<ArrayRef>,
    ref_logprob: Option<ArrayRef>,
    ref_rank: Option<ArrayRef>,
    ref_rank_cap: Option<ArrayRef>,
    ref_mean: Option<ArrayRef>,
    ref_variance: Option<ArrayRef>,
    ref_max_logprob: Option<ArrayRef>,
    lowercase_logprob: Option<ArrayRef>,
    secret_tokens: Option<ArrayRef>,
}

impl Columns {
    fn row(&self, row: usize) -> RawRow {
        let word = |column| string(column, row).map(Word::Text);
        RawRow {
            id: word(&self.id),
            member: there(&self.member, row)
                .map(|column| Flag::Number(column.as_primitive::<Float64Type>().value(row))),
            date: word(&self.date),
            text: string(&self.text, row),
            token_ids: integer_list(&self.token_ids, row),
            ref_token_ids: integer_list(&self.ref_token_ids, row),
            logprob: number_list(&self.logprob, row),
            rank: integer_list(&self.rank, row),
            rank_cap: integer(&self.rank_cap, row),
            mean: number_list(&self.mean, row),
            variance: number_list(&self.variance, row),
            max_logprob: number_list(&self.max_logprob, row),
            ref_logprob: number_list(&self.ref_logprob, row),
            ref_rank: integer_list(&self.ref_rank, row),
            ref_rank_cap: integer(&self.ref_rank_cap, row),
            ref_mean: number_list(&self.ref_mean, row),
            ref_variance: number_list(&self.ref_variance, row),
            ref_max_logprob: number_list(&self.ref_max_logprob, row),
            lowercase_logprob: number_list(&self.lowercase_logprob, row),
            secret_tokens: integer_list(&self.secret_tokens, row),
        }
    }
}

pub fn there(column: &Option<ArrayRef>, row: usize) -> Option<&ArrayRef> {
    column.as_ref().filter(|column| column.is_valid(row))
}

pub fn string(column: &Option<ArrayRef>, row: usize) -> Option<String> {
    there(column, row).map(|column| column.as_string::<i32>().value(row).to_owned())
}

fn integer(column: &Option<ArrayRef>, row: usize) -> Option<i64> {
    there(column, row).map(|column| column.as_primitive::<Int64Type>().value(row))
}

fn number_list(column: &Option<ArrayRef>, row: usize) -> Option<Numbers> {
    there(column, row).map(|column| {
        let list = column.as_list::<i64>().value(row);
        list.as_primitive::<Float64Type>().iter().collect()
    })
}

fn integer_list(column: &Option<ArrayRef>, row: usize) -> Option<Integers> {
    there(column, row).map(|column| {
        let list = column.as_list::<i64>().value(row);
        list.as_primitive::<Int64Type>().iter().collect()
    })
}

fn numbers(batch: &RecordBatch, name: &str) -> Result<Option<ArrayRef>> {
    column(batch, name, &list_of(DataType::Float64))
}

fn integers(batch: &RecordBatch, name: &str) -> Result<Option<ArrayRef>> {
    column(batch, name, &list_of(DataType::Int64))
}

fn list_of(items: DataType) -> DataType {
    DataType::LargeList(Arc::new(Field::new("item", items, true)))
}

/// A column in the type it is read as, whatever width it is stored in.
pub fn column(batch: &RecordBatch, name: &str, wanted: &DataType) -> Result<Option<ArrayRef>> {
    let Some(found) = batch.column_by_name(name) else {
        return Ok(None);
    };
    let read = convert(found, wanted, Misfits::AreRefused);
    read.map(Some).map_err(|_| {
        Error::unsupported(format!("column {name} is of type {}", found.data_type()))
            .hint("id and text are strings, member is a boolean, signals are lists of numbers")
    })
}
