//! One line of a transcript.

use attacks::signals::probes::{
    Expected, Metadata, SharedText, SharedTexts, SourceShown, YesNoQuestion,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use text::HashMap;

use crate::rag::extract::Paths;
use crate::rag::settings::ExtractSettings;
use crate::rag::sources::{SourcePaths, names_nothing, unread_hint};
use crate::{Error, Result};
use formats::texts::values::{Flag, Word, brief};

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
    pub sources: Option<Value>,
    pub retrieved: Option<Value>,
    pub asides: Option<Value>,
    /// Others may mean something else by it.
    pub metadata: Option<Value>,
    pub seconds: Option<f64>,
    pub blocked: Option<String>,
    pub cut_short: bool,
    pub shortened: bool,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<SourceWritten<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub retrieved: Vec<SourceWritten<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asides: Vec<SourceWritten<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<&'a Metadata>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
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

/// A source with a text has a number where it first stands, and is no more than its number from then on.
#[derive(Debug, Default, Serialize)]
pub(super) struct SourceWritten<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// The sources that were written so far, by their numbers.
#[derive(Default)]
pub(super) struct Numbered<'a>(HashMap<&'a SourceShown, usize>);

impl<'a> Numbered<'a> {
    pub fn write(&mut self, sources: &'a [SourceShown]) -> Vec<SourceWritten<'a>> {
        let written = sources.iter().map(|source| {
            let next = self.0.len() + 1;
            let number = source
                .text
                .is_some()
                .then(|| *self.0.entry(source).or_insert(next));
            match number {
                Some(number) if number < next => SourceWritten {
                    number: Some(number),
                    ..SourceWritten::default()
                },
                number => SourceWritten {
                    number,
                    id: source.id.as_deref(),
                    title: source.title.as_deref(),
                    text: source.text.as_deref(),
                },
            }
        });
        written.collect()
    }
}

/// Reads sources as a service may have shown them.
pub(super) struct Sources {
    paths: SourcePaths,
    /// Those that have one, by their numbers.
    numbered: HashMap<u64, SourceShown>,
    texts: SharedTexts,
}

impl Sources {
    /// As `extract` says where the parts of a source are, or by the names that are usual.
    pub fn new(extract: &ExtractSettings) -> Result<Self> {
        Ok(Self {
            paths: SourcePaths::new("target", extract)?,
            numbered: HashMap::default(),
            texts: SharedTexts::default(),
        })
    }

    /// What the first path finds in a row in which sources can be read.
    pub fn first(
        &mut self,
        paths: &Paths,
        row: &Value,
    ) -> std::result::Result<Vec<SourceShown>, String> {
        let mut unread = None;
        for path in paths.iter() {
            match self.read_all(path.all(row)) {
                Ok(shown) if !shown.is_empty() => return Ok(shown),
                Ok(_) => {}
                Err(message) => unread = Some(message),
            }
        }
        unread.map_or(Ok(Vec::new()), Err)
    }

    pub fn read(&mut self, value: Option<Value>) -> std::result::Result<Vec<SourceShown>, String> {
        self.read_all(value.as_ref())
    }

    pub fn read_all<'a>(
        &mut self,
        values: impl IntoIterator<Item = &'a Value>,
    ) -> std::result::Result<Vec<SourceShown>, String> {
        let mut shown = Vec::new();
        let mut unread = None;
        for value in values {
            match value {
                Value::Array(list) if list.iter().any(|value| own(value).is_some()) => {
                    for value in list {
                        self.add(value, &mut shown)?;
                    }
                }
                value if self.paths.gather(&[value], &mut shown) || names_nothing(value) => {}
                value => unread = Some(unreadable(value)),
            }
        }
        let unread = unread.filter(|_| shown.is_empty());
        let parts = shown.iter_mut().flat_map(|source| source.parts());
        parts.for_each(|part| self.texts.share(part));
        shown.shrink_to_fit();
        unread.map_or(Ok(shown), Err)
    }

    /// An answer, which may be that of many questions.
    pub fn share(&mut self, answer: String) -> SharedText {
        let mut answer = answer.into();
        self.texts.share(&mut answer);
        answer
    }

    /// What we wrote of a response; what somebody else means by that name says nothing to us.
    pub fn metadata(&mut self, value: Option<Value>) -> Metadata {
        let own = value.and_then(|value| serde_json::from_value(value).ok());
        let mut metadata: Metadata = own.unwrap_or_default();
        let texts = metadata.texts().into_iter();
        texts.for_each(|text| self.texts.share(text));
        metadata
    }

    fn add(
        &mut self,
        value: &Value,
        shown: &mut Vec<SourceShown>,
    ) -> std::result::Result<(), String> {
        match own(value) {
            Some((None, source)) if source == SourceShown::default() => {}
            Some((None, source)) => shown.push(source),
            // Where two transcripts stand in one file, each has its own numbers.
            Some((Some(number), mut source)) if source != SourceShown::default() => {
                source.parts().for_each(|part| self.texts.share(part));
                self.numbered.insert(number, source.clone());
                shown.push(source);
            }
            Some((Some(number), _)) => {
                let known = self.numbered.get(&number);
                let unknown = || format!("names source {number}, which no row before it describes");
                shown.push(known.ok_or_else(unknown)?.clone());
            }
            None => {
                let mut found = Vec::new();
                self.paths.gather(&[value], &mut found);
                shown.extend(found);
            }
        }
        Ok(())
    }
}

fn unreadable(value: &Value) -> String {
    let shown = value.to_string();
    format!(
        "shows sources of which none can be read: {}: {}",
        brief(&shown),
        unread_hint("target", "citations")
    )
}

/// As we write them: to the letter, with the number where there is one.
fn own(value: &Value) -> Option<(Option<u64>, SourceShown)> {
    let keys = ["id", "title", "text", "number"];
    let map = value.as_object()?;
    let ours = !map.is_empty() && map.keys().all(|key| keys.contains(&key.as_str()));
    let number = map.get("number").map(Value::as_u64);
    // Somebody else's number may be anything.
    let number = match number {
        Some(None) => return None,
        Some(number) => number,
        None => None,
    };
    let source = ours.then(|| serde_json::from_value(value.clone()).ok());
    Some((number, source.flatten()?))
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
