//! What was asked about a document, and what came back: lines of `transcript.jsonl`.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::lines;

pub const FILE: &str = "transcript.jsonl";
/// Exchanges that are shown of one document.
const MOST: usize = 40;
/// Letters that are shown of one text.
const LONGEST: usize = 4000;

/// One question and its answer.
#[derive(Debug, PartialEq)]
pub struct Exchange {
    pub strategy: String,
    pub query: String,
    pub retrieval: bool,
    /// The answer, or why there is none.
    pub answer: Result<String, String>,
    pub citations: usize,
}

#[derive(Debug, Default, PartialEq)]
pub struct Exchanges {
    /// The document's own text, where it is told.
    pub text: Option<String>,
    pub exchanges: Vec<Exchange>,
    /// There are more.
    pub cut: bool,
}

#[derive(Deserialize)]
struct TranscriptLine {
    document: String,
    text: Option<String>,
    strategy: Option<String>,
    query: Option<String>,
    retrieval: Option<bool>,
    answer: Option<String>,
    error: Option<String>,
    blocked: Option<String>,
    citations: Option<Vec<Value>>,
}

/// Everything about one document, as far as it is shown.
pub fn about(path: &Path, document: &str) -> Result<Exchanges, String> {
    let mut found = Exchanges::default();
    let whole = lines::each(path, |line| {
        let Ok(line) = serde_json::from_slice::<TranscriptLine>(line) else {
            return false;
        };
        if line.document != document {
            return false;
        }
        if found.exchanges.len() == MOST {
            found.cut = true;
            return true;
        }
        if let Some(text) = &line.text {
            found.text = Some(short(text));
        }
        found.exchanges.extend(exchange(line));
        false
    });
    let whole = whole.map_err(|error| format!("{FILE} cannot be read: {error}"))?;
    found.cut |= !whole;
    Ok(found)
}

fn exchange(line: TranscriptLine) -> Option<Exchange> {
    let why = line.blocked.or(line.error);
    Some(Exchange {
        strategy: line.strategy?,
        query: short(&line.query?),
        retrieval: line.retrieval.unwrap_or(true),
        answer: match line.answer {
            Some(answer) => Ok(short(&answer)),
            None => Err(short(&why.unwrap_or_else(|| "no answer".into()))),
        },
        citations: line.citations.map_or(0, |citations| citations.len()),
    })
}

/// The beginning of a long text.
pub fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_documents_own_exchanges_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let text = concat!(
            "{\"document\":\"a\",\"text\":\"tea\",\"strategy\":\"s\",\"query\":\"q\",\"answer\":\"x\",\"citations\":[{}]}\n",
            "not json\n",
            "{\"document\":\"b\",\"strategy\":\"s\",\"query\":\"q\",\"answer\":\"y\"}\n",
            "{\"document\":\"a\",\"strategy\":\"t\",\"query\":\"p\",\"answer\":null,\"error\":\"late\",\"retrieval\":false}\n",
        );
        std::fs::write(&path, text).unwrap();
        let found = about(&path, "a").unwrap();
        assert_eq!((found.text.as_deref(), found.cut), (Some("tea"), false));
        assert_eq!(found.exchanges.len(), 2);
        assert_eq!(found.exchanges[0].answer, Ok("x".into()));
        assert_eq!(found.exchanges[1].answer, Err("late".into()));
        assert!(about(&path, "nobody").unwrap().exchanges.is_empty());
        assert!(about(&folder.path().join("none"), "a").is_err());
    }
}
