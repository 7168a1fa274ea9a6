//! CSV: a line of names, and one line per text.

use std::path::Path;

use arrow_array::{Array, LargeStringArray};
use serde_json::Value;

use super::row::Fields;
use super::rows::Numbered;
use super::values::{Flag, Word};
use crate::data;
use crate::{Error, Result};

pub(super) fn read(path: &Path) -> Result<Vec<Numbered>> {
    let table = data::texts(path)?;
    let column = |name: &str| {
        let found = table.columns.iter().find(|(column, _)| column == name);
        found.map(|(_, texts)| texts)
    };
    if column("text").is_none() && column("image").is_none() {
        return Err(Error::missing("has no column text")
            .at(path)
            .hint("texts have columns id, text and member; title and topic are welcome"));
    }
    let count = table.columns.first().map_or(0, |(_, texts)| texts.len());
    let rows = (0..count).map(|row| {
        let text = |name: &str| column(name).and_then(|texts| cell(texts, row));
        let value = |name: &str| text(name).map(Value::String);
        let member = text("member").map(|word| flag(&word));
        let member = member.transpose().map_err(|word| {
            let message = format!("{}: member is {word:?}", table.line(row));
            Error::malformed(message)
                .at(path)
                .hint("member is true or false, or 1 or 0; leave it empty where nobody knows")
        })?;
        let fields = Fields {
            id: text("id").map(Word::Text),
            text: text("text"),
            member,
            date: text("date").map(Word::Text),
            title: value("title"),
            topic: value("topic"),
            questions: None,
            source: value("source"),
            prompt: value("prompt"),
            image: value("image"),
        };
        Ok((row + 1, fields))
    });
    rows.collect()
}

/// Nothing where the cell is empty.
fn cell(texts: &LargeStringArray, row: usize) -> Option<String> {
    let text = texts.is_valid(row).then(|| texts.value(row));
    text.filter(|text| !text.trim().is_empty())
        .map(str::to_owned)
}

fn flag(word: &str) -> std::result::Result<Flag, String> {
    match word.trim().to_lowercase().as_str() {
        "true" | "1" | "1.0" => Ok(Flag::Truth(true)),
        "false" | "0" | "0.0" => Ok(Flag::Truth(false)),
        _ => Err(word.to_owned()),
    }
}
