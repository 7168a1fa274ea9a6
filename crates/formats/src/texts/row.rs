//! A row as a file has it, and how a message names it.

use std::path::Path;
use std::rc::Rc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::values::{Flag, Word, brief, flag};
use crate::{Error, Result};

/// What is read of a row; it may have more.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Fields {
    pub id: Option<Word>,
    pub text: Option<String>,
    pub member: Option<Flag>,
    pub date: Option<Word>,
    // Some kinds of audit look at these; in others they may hold anything.
    pub title: Option<Value>,
    pub topic: Option<Value>,
    pub questions: Option<Value>,
    pub source: Option<Value>,
    pub prompt: Option<Value>,
    pub image: Option<Value>,
}

/// A row of a file.
#[derive(Debug)]
pub(super) struct Row {
    pub file: Rc<Path>,
    /// From 1.
    pub number: usize,
    pub id: String,
    pub fields: Fields,
}

impl Row {
    pub fn wrong(&self, message: impl std::fmt::Display, hint: &str) -> Error {
        let message = format!("row {} ({:?}): {message}", self.number, brief(&self.id));
        Error::malformed(message).at(&self.file).hint(hint)
    }

    pub fn member(&self) -> Result<Option<bool>> {
        let own = self.fields.member.map(flag).transpose();
        own.map_err(|(message, hint)| self.wrong(message, hint))
    }

    /// The text, which must be there.
    pub fn take_text(&mut self) -> Result<String> {
        let text = self.fields.text.take().unwrap_or_default();
        match text.trim().is_empty() {
            false => Ok(text),
            true => Err(self.wrong(
                "has no text",
                "every row needs a field or column text; leave empty ones out",
            )),
        }
    }

    pub fn take_date(&mut self) -> Option<String> {
        self.fields.date.take().map(Word::text)
    }

    /// A text or a number, where there is one.
    pub fn take_topic(&mut self) -> Result<Option<String>> {
        let topic = self.fields.topic.take();
        let topic: Option<Word> = self.parsed(topic, "topic", "give a text or a number")?;
        Ok(topic.map(Word::text))
    }

    /// The words that a field holds; blank ones are none.
    pub fn string(&self, value: Option<Value>, name: &str) -> Result<Option<String>> {
        match value {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
            Some(other) => Err(self.wrong(
                format!("{name} is {}", brief(&other.to_string())),
                "give a text in quotes, or leave it out",
            )),
        }
    }

    /// A field as the type that it must have.
    pub fn parsed<T: DeserializeOwned>(
        &self,
        value: Option<Value>,
        name: &str,
        hint: &str,
    ) -> Result<Option<T>> {
        let shown = |value: &Value| format!("{name} is {}", brief(&value.to_string()));
        let parse = |value: Value| {
            let shown = shown(&value);
            serde_json::from_value(value).map_err(|_| self.wrong(shown, hint))
        };
        value.map(parse).transpose()
    }
}
