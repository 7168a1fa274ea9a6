//! Answers to questions that were handed out: one row each, known by the question's id.

use std::path::Path;
use std::sync::Arc;

use attacks::signals::probes::Reply;
use formats::lines::Lines;
use formats::texts::values::Word;
use serde::Deserialize;
use serde_json::Value;

use super::row::Sources;
use crate::campaign::FailureKind;
use crate::rag::Outcome;
use crate::rag::arms::is_called;
use crate::rag::called::usual_settings;
use crate::rag::extract::Paths;
use crate::rag::settings::TargetSettings;
use crate::{Error, Result};

/// One row.
pub struct Answered {
    /// From 1.
    pub row: usize,
    pub id: String,
    /// As whoever answered has it, where he says.
    pub question: Option<String>,
    /// Whether he asked it with retrieval, where he says.
    pub retrieval: Option<bool>,
    pub outcome: Outcome,
}

/// As it is read. Other fields may be there.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Row {
    id: Option<Word>,
    question: Option<String>,
    retrieval: Option<bool>,
    answer: Option<String>,
    blocked: Option<String>,
    seconds: Option<f64>,
    error: Option<String>,
}

impl Answered {
    /// Whether the first row has the fields of such an answer, and not those of an exchange.
    pub fn recognise(path: &Path) -> bool {
        let Some(Ok((_, line))) = Lines::open(path).ok().and_then(|mut lines| lines.next()) else {
            return false;
        };
        let row: Option<Value> = serde_json::from_slice(&line).ok();
        row.is_some_and(|row| {
            let has = |name: &str| row.get(name).is_some();
            has("id") && has("question") && (has("answer") || has("error"))
        })
    }
}

/// Every row that has an answer, or says why there is none. A row without either is a question that
/// nobody has answered yet.
///
/// Sources are where those of a program are, and where `target` says, if that has no address of its own.
pub fn answers(path: &Path, target: &TargetSettings) -> Result<Vec<Answered>> {
    let mut extract = usual_settings().extract;
    if is_called(target) {
        extract = extract.with(&target.extract);
    }
    let citations = Paths::parse("target.extract.citations", extract.citations.as_ref())?;
    let retrieved = Paths::parse("target.extract.retrieved", extract.retrieved.as_ref())?;
    let mut sources = Sources::new(&extract)?;
    let mut found = Vec::new();
    for line in Lines::open(path)? {
        let (number, line) = line?;
        let unread = |error| wrong(path, number, &format!("cannot be read: {error}"));
        let said: Value = serde_json::from_slice(&line).map_err(unread)?;
        let row = Row::deserialize(&said).map_err(unread)?;
        let Some(id) = row.id.map(Word::text).filter(|id| !id.is_empty()) else {
            return Err(wrong(path, number, "has no id"));
        };
        let mut read = |paths: &Paths| {
            let read = sources.first(paths, &said);
            read.map_err(|message| wrong(path, number, &message))
        };
        let outcome = match (row.answer, row.error, row.blocked) {
            (_, Some(message), _) => Outcome::Failed {
                kind: FailureKind::ServerError,
                message,
            },
            (None, None, None) => continue,
            (answer, None, blocked) => Outcome::Answered(Arc::new(Reply {
                answer: answer.unwrap_or_default().into(),
                citations: read(&citations)?,
                retrieved: read(&retrieved)?,
                seconds: row
                    .seconds
                    .filter(|seconds| *seconds >= 0.0)
                    .unwrap_or_default(),
                blocked,
                ..Reply::default()
            })),
        };
        found.push(Answered {
            row: number,
            id,
            question: row.question,
            retrieval: row.retrieval,
            outcome,
        });
    }
    Ok(found)
}

fn wrong(path: &Path, row: usize, message: &str) -> Error {
    Error::malformed(format!("row {row}: {message}"))
        .at(path)
        .hint(
            "a row is a question as it was handed out with its answer: {\"id\": \"…\", \
             \"question\": \"…\", \"answer\": \"…\", \"sources\": []}",
        )
}
