//! Parquet: one row per text.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::{DataType, Field};
use serde_json::Value;

use super::row::Fields;
use super::rows::Numbered;
use super::values::{Flag, Word};
use crate::parts::Parts;
use crate::tokens::parquet::{column, string, there};
use crate::{Error, Result};

/// The columns that are read; others may be there.
const COLUMNS: [&str; 9] = [
    "id", "text", "member", "title", "topic", "date", "source", "prompt", "image",
];

/// Rows are read so many at a time.
const ROWS_PER_BATCH: usize = 1024;

pub(super) fn read(path: &Path) -> Result<Vec<Numbered>> {
    let parts = Parts::open(path)?;
    if !parts.has("text") && !parts.has("image") {
        return Err(Error::missing("has no column text")
            .at(path)
            .hint("texts have columns id, text and member; title and topic are welcome"));
    }
    let wanted = |field: &Field| COLUMNS.contains(&field.name().as_str());
    let mut all = Vec::new();
    for batch in parts.read(wanted, ROWS_PER_BATCH) {
        let batch = batch?;
        rows(&batch.columns, &mut all).map_err(|error| error.at(&batch.path))?;
    }
    Ok(all)
}

fn rows(batch: &RecordBatch, all: &mut Vec<Numbered>) -> Result<()> {
    let words = |name: &str| column(batch, name, &DataType::Utf8);
    let (id, text, title) = (words("id")?, words("text")?, words("title")?);
    let (topic, date) = (words("topic")?, words("date")?);
    let (source, prompt, image) = (words("source")?, words("prompt")?, words("image")?);
    let member = column(batch, "member", &DataType::Float64)?;
    for row in 0..batch.num_rows() {
        let word = |column| string(column, row).map(Word::Text);
        let value = |column| string(column, row).map(Value::String);
        let truth = there(&member, row);
        let truth = truth.map(|column| column.as_primitive::<Float64Type>().value(row));
        let fields = Fields {
            id: word(&id),
            text: string(&text, row),
            member: truth.map(Flag::Number),
            title: value(&title),
            topic: value(&topic),
            date: word(&date),
            questions: None,
            source: value(&source),
            prompt: value(&prompt),
            image: value(&image),
        };
        all.push((all.len() + 1, fields));
    }
    Ok(())
}
