//! Which documents are in the store and which are not: drawn at random, so that nothing tells them apart.

use std::path::{Path, PathBuf};

use guestlist_bench::Failed;
use serde_json::{Value, json};
use stats::streams::{Seed, shuffle};

use super::Wanted;

/// Files of documents.
pub struct Drawn {
    /// What the service holds: the members and others.
    pub store: PathBuf,
    pub members: PathBuf,
    pub nonmembers: PathBuf,
    /// As many that it does not hold either.
    pub absent: PathBuf,
    /// Half of the natural questions, which a service may know; the other half is asked.
    pub usual: Option<PathBuf>,
    pub natural: Vec<String>,
}

impl Drawn {
    pub fn new(wanted: &Wanted) -> Result<Self, Failed> {
        let mut rows = rows(&wanted.documents)?;
        let needed = wanted.store.max(wanted.count) + 2 * wanted.count;
        if rows.len() < needed {
            return Err(Failed(format!(
                "{} has {} documents with a text, and {needed} are needed",
                wanted.documents.display(),
                rows.len()
            )));
        }
        shuffle(&mut Seed(0).stream("study-rag"), &mut rows);
        let store = wanted.store.max(wanted.count);
        std::fs::create_dir_all(&wanted.work).map_err(|error| Failed(error.to_string()))?;
        let write = |name: &str, rows: &[Value]| -> Result<PathBuf, Failed> {
            let path = wanted.work.join(name);
            let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
            super::save(&path, &lines)?;
            std::path::absolute(&path).map_err(|error| Failed(error.to_string()))
        };
        let mut natural = match &wanted.questions {
            Some(path) => questions(path)?,
            None => Vec::new(),
        };
        shuffle(&mut Seed(0).stream("study-rag/questions"), &mut natural);
        let known = natural.split_off(natural.len() / 2);
        let known: Vec<Value> = known.iter().map(|one| json!({"question": one})).collect();
        let usual = wanted
            .questions
            .as_ref()
            .map(|_| write("usual.jsonl", &known));
        Ok(Self {
            usual: usual.transpose()?,
            natural,
            store: write("store.jsonl", &rows[..store])?,
            members: write("members.jsonl", &rows[..wanted.count])?,
            nonmembers: write("nonmembers.jsonl", &rows[store..store + wanted.count])?,
            absent: write(
                "absent.jsonl",
                &rows[store + wanted.count..store + 2 * wanted.count],
            )?,
        })
    }
}

/// The rows of JSON Lines.
pub fn lines(path: &Path) -> Result<Vec<Value>, Failed> {
    let failed = |why: String| Failed(format!("{}: {why}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let row = |(number, line): (usize, &str)| {
        serde_json::from_str(line).map_err(|error| failed(format!("line {}: {error}", number + 1)))
    };
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines.map(row).collect()
}

fn questions(path: &Path) -> Result<Vec<String>, Failed> {
    let of = |row: &Value| {
        let said = row.get("claim").or(row.get("question"))?;
        said.as_str().map(str::to_owned)
    };
    Ok(lines(path)?.iter().filter_map(of).collect())
}

fn rows(path: &Path) -> Result<Vec<Value>, Failed> {
    let plain = |row: Value| {
        let id = match row.get("id").or(row.get("_id"))? {
            Value::String(id) => id.clone(),
            id => id.to_string(),
        };
        let text = row["text"]
            .as_str()
            .filter(|text| text.split_whitespace().count() >= 60)?;
        Some(json!({"id": id, "title": row["title"], "text": text}))
    };
    Ok(lines(path)?.into_iter().filter_map(plain).collect())
}
