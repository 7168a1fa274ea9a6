//! Documents with invented facts: their owner puts them into the store, and an audit must find them
//! again.

use std::path::Path;

use attacks::signals::probes::Document;
use serde::{Deserialize, Serialize};

use crate::lines::{Lines, plain};
use crate::{Error, Result};

/// One such document, as a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Control {
    pub id: String,
    pub title: Option<String>,
    pub text: String,
    pub facts: Vec<Fact>,
}

/// What only this document says, and how one would ask for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub question: String,
    pub answer: String,
}

impl Control {
    pub fn document(&self) -> Document {
        Document {
            id: self.id.clone(),
            title: self.title.clone(),
            text: self.text.clone(),
            ..Document::default()
        }
    }
}

/// Reads JSON Lines, also gzipped.
pub fn controls_of(path: &Path) -> Result<Vec<Control>> {
    let read = Lines::open(path)?.map(|line| {
        let (number, line) = line?;
        let wrong = |message: &str| {
            let message = format!("row {number}: {message}");
            Error::malformed(message).at(path).hint(
                "a control is {\"id\", \"text\", \"facts\": [{\"question\", \"answer\"}]}; `guestlist init rag \
                 --controls` writes some",
            )
        };
        let control: Control = serde_json::from_slice(&line).map_err(|error| wrong(&plain(&error)))?;
        checked(&control).map_err(wrong)?;
        Ok(control)
    });
    let controls = read.collect::<Result<Vec<Control>>>()?;
    match controls.is_empty() {
        false => Ok(controls),
        true => Err(Error::mismatch("holds no control").at(path).hint(
            "leave documents.controls out, or write some with `guestlist init rag --controls`",
        )),
    }
}

fn checked(control: &Control) -> std::result::Result<(), &'static str> {
    let says = |fact: &Fact| !fact.answer.trim().is_empty() && control.text.contains(&fact.answer);
    let tells = |fact: &Fact| fact.question.contains(&fact.answer);
    match &control.facts[..] {
        [] => Err("the control has no facts"),
        facts if !facts.iter().all(says) => Err("the text does not hold the answer of a fact"),
        facts if facts.iter().any(tells) => Err("a question holds its own answer"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_found_again_is_refused_by_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("controls.jsonl");
        let row = |question: &str, answer: &str| {
            let text = "The Velmor mill has 48213 wheels.";
            serde_json::json!({"id": "a", "text": text, "facts": [{"question": question, "answer": answer}]})
                .to_string()
        };
        let complains = |lines: String, part: &str| {
            std::fs::write(&path, lines).unwrap();
            let said = controls_of(&path).unwrap_err().to_string();
            assert!(said.contains(part), "{said}");
        };
        let good = row("How many wheels has the Velmor mill?", "48213");
        std::fs::write(&path, &good).unwrap();
        assert_eq!(controls_of(&path).unwrap().len(), 1);
        complains(format!("{good}\n{}", row("How many?", "7")), "row 2");
        complains(row("Are they 48213?", "48213"), "own answer");
        complains(
            "{\"id\": \"a\", \"text\": \"b\", \"facts\": []}".into(),
            "no facts",
        );
        complains(String::new(), "holds no control");
    }
}
