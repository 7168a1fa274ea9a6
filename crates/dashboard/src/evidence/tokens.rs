//! What a language model made of a text's tokens: its row of `tokens.parquet`.

use std::fs::File;
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int32Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

pub const FILE: &str = "tokens.parquet";
/// Tokens that are shown.
const MOST: usize = 400;
const COLUMNS: [&str; 5] = ["text", "token_ids", "logprob", "rank", "ref_logprob"];

#[derive(Debug, Default, PartialEq)]
pub struct Tokens {
    pub text: Option<String>,
    pub tokens: Vec<Token>,
    pub cut: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Token {
    pub id: Option<i32>,
    pub logprob: Option<f32>,
    pub rank: Option<i32>,
    pub ref_logprob: Option<f32>,
}

/// The row of that id; nothing where there is none.
pub fn about(path: &Path, id: &str) -> Result<Option<Tokens>, String> {
    match find(path, id)? {
        Some(row) => read(path, row).map(Some),
        None => Ok(None),
    }
}

/// Streams the ids.
fn find(path: &Path, wanted: &str) -> Result<Option<usize>, String> {
    let mut first = 0;
    for batch in reader(path, &["id"], None)? {
        let batch = batch.map_err(damaged)?;
        let Some(ids) = batch
            .column_by_name("id")
            .and_then(|ids| ids.as_string_opt::<i32>())
        else {
            return Err(damaged("no ids"));
        };
        let place = (0..ids.len()).find(|at| !ids.is_null(*at) && ids.value(*at) == wanted);
        if let Some(place) = place {
            return Ok(Some(first + place));
        }
        first += batch.num_rows();
    }
    Ok(None)
}

fn read(path: &Path, row: usize) -> Result<Tokens, String> {
    let mut found = Tokens::default();
    for batch in reader(path, &COLUMNS, Some(row))? {
        let batch = batch.map_err(damaged)?;
        let list = |name: &str, kind: DataType| list(&batch, name, &kind);
        let ids = list("token_ids", DataType::Int32);
        let logprobs = list("logprob", DataType::Float32);
        let ranks = list("rank", DataType::Int32);
        let references = list("ref_logprob", DataType::Float32);
        let lists = [&ids, &logprobs, &ranks, &references];
        let length = lists.iter().filter_map(|list| Some(list.as_ref()?.len()));
        let length = length.max().unwrap_or(0);
        found.cut = length > MOST;
        found.tokens = (0..length.min(MOST))
            .map(|at| Token {
                id: whole(ids.as_ref(), at),
                logprob: number(logprobs.as_ref(), at),
                rank: whole(ranks.as_ref(), at),
                ref_logprob: number(references.as_ref(), at),
            })
            .collect();
        let text = batch.column_by_name("text");
        let text = text.and_then(|text| text.as_string_opt::<i32>());
        let text = text.filter(|text| !text.is_empty() && !text.is_null(0));
        found.text = text.map(|text| super::exchanges::short(text.value(0)));
    }
    Ok(found)
}

/// The first row's list, where it is of that kind.
fn list(batch: &RecordBatch, name: &str, kind: &DataType) -> Option<ArrayRef> {
    let lists = batch.column_by_name(name)?.as_list_opt::<i32>()?;
    let known = !lists.is_empty() && !lists.is_null(0);
    let values = known.then(|| lists.value(0))?;
    (values.data_type() == kind).then_some(values)
}

fn whole(list: Option<&ArrayRef>, at: usize) -> Option<i32> {
    let list = list?.as_primitive::<Int32Type>();
    (at < list.len() && !list.is_null(at)).then(|| list.value(at))
}

fn number(list: Option<&ArrayRef>, at: usize) -> Option<f32> {
    let list = list?.as_primitive::<Float32Type>();
    (at < list.len() && !list.is_null(at)).then(|| list.value(at))
}

type Reader = parquet::arrow::arrow_reader::ParquetRecordBatchReader;

fn reader(path: &Path, columns: &[&str], row: Option<usize>) -> Result<Reader, String> {
    let file = File::open(path).map_err(|error| format!("{FILE} cannot be read: {error}"))?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let fields = builder.schema().fields();
    let places: Vec<usize> = (0..fields.len())
        .filter(|place| columns.contains(&fields[*place].name().as_str()))
        .collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), places);
    let mut builder = builder.with_projection(mask).with_batch_size(1024);
    if let Some(row) = row {
        builder = builder.with_offset(row).with_limit(1);
    }
    builder.build().map_err(damaged)
}

fn damaged(error: impl std::fmt::Display) -> String {
    format!("{FILE} is damaged: {error}")
}
