//! Parquet: one row per text.

use std::path::Path;

use ::parquet::arrow::ProjectionMask;
use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use serde_json::Value;

use super::row::Fields;
use super::rows::Numbered;
use super::values::{Flag, Word};
use crate::shadow::parquet::{builder, damaged, guarded};
use crate::tokens::parquet::{column, string, there};
use crate::{Error, Result};

/// The columns that are read; others may be there.
const COLUMNS: [&str; 9] = [
    "id", "text", "member", "title", "topic", "date", "source", "prompt", "image",
];

pub(super) fn read(path: &Path) -> Result<Vec<Numbered>> {
    let mut batches = guarded(path, || {
        let builder = builder(path)?;
        let has = |name: &&str| builder.schema().field_with_name(name).is_ok();
        if !has(&"text") && !has(&"image") {
            return Err(Error::missing("has no column text")
                .at(path)
                .hint("texts have columns id, text and member; title and topic are welcome"));
        }
        let wanted = COLUMNS.into_iter().filter(has);
        let mask = ProjectionMask::columns(builder.parquet_schema(), wanted);
        let reader = builder.with_projection(mask).build();
        reader.map_err(|error| damaged(path, &error))
    })?;
    let mut next = || {
        let batch = batches.next().transpose();
        batch.map_err(|error| Error::malformed(format!("is damaged: {error}")).at(path))
    };
    let mut all = Vec::new();
    while let Some(batch) = guarded(path, &mut next)? {
        rows(&batch, &mut all).map_err(|error| error.at(path))?;
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
