//! Parquet: one row per document.

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_schema::DataType;
use serde_json::Value;

use super::row::Row;
use crate::shadow::parquet::{builder, damaged, guarded};
use crate::tokens::parquet::{column, string, there};
use crate::tokens::raw::{Flag, Word};
use crate::{Error, Result};

pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    let mut batches = guarded(path, || {
        let builder = builder(path)?;
        let has = |name: &str| builder.schema().field_with_name(name).is_ok();
        if !has("text") && !has("image") {
            return Err(Error::missing("has no column text")
                .at(path)
                .hint("documents have columns id, text and member; title and topic are welcome"));
        }
        builder.build().map_err(|error| damaged(path, &error))
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

fn rows(batch: &RecordBatch, all: &mut Vec<Row>) -> Result<()> {
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
        all.push(Row {
            number: all.len() + 1,
            id: word(&id),
            text: string(&text, row),
            member: truth.map(Flag::Number),
            title: string(&title, row),
            topic: word(&topic),
            date: word(&date),
            questions: None,
            source: value(&source),
            prompt: value(&prompt),
            image: value(&image),
        });
    }
    Ok(())
}
