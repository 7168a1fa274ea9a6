//! One line of a transcript.

use attacks::signals::probes::{Expected, SourceShown, YesNoQuestion};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::rag::extract::SourcePaths;
use crate::rag::settings::ExtractSettings;
use crate::{Error, Result};
use formats::texts::values::{Flag, Word};

/// As it is read. Other fields may be there.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RowRead {
    pub document: Option<Word>,
    pub doc_id: Option<Word>,
    pub document_id: Option<Word>,
    pub id: Option<Word>,
    pub member: Option<Flag>,
    pub text: Option<String>,
    pub title: Option<String>,
    pub questions: Vec<YesNoQuestion>,
    pub about: Option<String>,
    pub strategy: Option<String>,
    pub variation: usize,
    pub query: Option<String>,
    pub expected: Option<Value>,
    pub retrieval: Option<bool>,
    pub repeat: u32,
    /// `null` where there was none; absent where it was forgotten, or only a document is described.
    #[serde(deserialize_with = "given")]
    pub answer: Option<Option<String>>,
    pub citations: Option<Value>,
    pub retrieved: Option<Value>,
    pub seconds: Option<f64>,
    pub blocked: Option<String>,
    pub cut_short: bool,
    pub perplexity: Option<f64>,
    pub error: Option<String>,
}

fn given<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

/// As it is written.
#[derive(Debug, Default, Serialize)]
pub(super) struct RowWritten<'a> {
    pub document: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<bool>,
    #[serde(flatten)]
    pub described: Option<Described<'a>>,
    #[serde(flatten)]
    pub exchange: Option<Exchanged<'a>>,
}

/// The document itself: once is enough.
#[derive(Debug, Serialize)]
pub(super) struct Described<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub questions: &'a [YesNoQuestion],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<&'a str>,
}

#[derive(Debug, Serialize)]
pub(super) struct Exchanged<'a> {
    pub strategy: &'a str,
    pub variation: usize,
    pub query: &'a str,
    #[serde(skip_serializing_if = "Expected::is_nothing")]
    pub expected: &'a Expected,
    pub retrieval: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub repeat: u32,
    pub answer: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub citations: &'a [SourceShown],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub retrieved: &'a [SourceShown],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perplexity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Our own spelling, or what people write: a truth, a fact, several spellings of one.
pub(super) fn expected(value: &Value) -> std::result::Result<Expected, String> {
    if let Ok(expected) = serde_json::from_value(value.clone()) {
        return Ok(expected);
    }
    let facts = |list: &[Value]| {
        let facts: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        facts.map(|facts| facts.into_iter().map(str::to_owned).collect())
    };
    let found = match value {
        Value::Null => Some(Expected::Nothing),
        Value::Bool(true) => Some(Expected::Yes),
        Value::Bool(false) => Some(Expected::No),
        Value::String(text) => Some(match text.trim().to_lowercase().as_str() {
            "yes" => Expected::Yes,
            "no" => Expected::No,
            _ => Expected::Fact(vec![text.clone()]),
        }),
        Value::Number(number) => Some(Expected::Fact(vec![number.to_string()])),
        Value::Array(list) => facts(list).map(Expected::Fact),
        Value::Object(_) => None,
    };
    found.ok_or_else(|| {
        let shown: String = value.to_string().chars().take(60).collect();
        format!("expected is {shown}")
    })
}

/// Reads sources as a service may have shown them.
pub(super) struct Sources(SourcePaths);

impl Sources {
    pub fn new() -> Result<Self> {
        SourcePaths::new("target", &ExtractSettings::default()).map(Self)
    }

    pub fn read(&self, value: Option<Value>) -> Vec<SourceShown> {
        let mut shown = Vec::new();
        match value {
            Some(Value::Array(list)) => list.iter().for_each(|value| self.add(value, &mut shown)),
            Some(value) => self.0.gather(&[&value], &mut shown),
            None => {}
        }
        shown
    }

    fn add(&self, value: &Value, shown: &mut Vec<SourceShown>) {
        match own(value) {
            Some(source) => shown.push(source),
            None => {
                let mut found = Vec::new();
                self.0.gather(&[value], &mut found);
                shown.extend(found);
            }
        }
    }
}

/// As we write them: to the letter.
fn own(value: &Value) -> Option<SourceShown> {
    let keys = ["id", "title", "text"];
    let map = value.as_object()?;
    let ours = !map.is_empty() && map.keys().all(|key| keys.contains(&key.as_str()));
    ours.then(|| serde_json::from_value(value.clone()).ok())
        .flatten()
}

/// Which document a row is about.
pub(super) fn document(row: &mut RowRead) -> std::result::Result<String, String> {
    let id = [
        &mut row.document,
        &mut row.doc_id,
        &mut row.document_id,
        &mut row.id,
    ];
    let id = id.into_iter().find_map(Option::take).map(Word::text);
    id.filter(|id| !id.is_empty())
        .ok_or_else(|| "names no document".to_owned())
}

/// A complaint about a row.
pub(super) fn wrong(path: &std::path::Path, row: usize, message: &str) -> Error {
    Error::malformed(format!("row {row}: {message}"))
        .at(path)
        .hint(
            "a row is a JSON object such as {\"document\": \"a\", \"member\": true, \"strategy\": \
             \"rag-ask\", \"query\": \"…\", \"answer\": \"…\", \"citations\": []}",
        )
}
