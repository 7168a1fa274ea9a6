//! A row as a file has it, and the checks that make it a document.

use std::path::Path;

use attacks::signals::probes::{Document, YesNoQuestion};
use serde::Deserialize;
use serde_json::Value;

use super::Listed;
use crate::tokens::brief;
use crate::tokens::raw::{Flag, Word, flag};
use crate::{Error, Result};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Row {
    /// Of the file, from 1; set by the reader.
    #[serde(skip)]
    pub number: usize,
    pub id: Option<Word>,
    pub text: Option<String>,
    pub member: Option<Flag>,
    pub title: Option<String>,
    pub topic: Option<Word>,
    pub date: Option<Word>,
    pub questions: Option<Vec<Question>>,
    /// Of items whose source is asked about. In other audits such fields may hold anything.
    pub source: Option<Value>,
    pub prompt: Option<Value>,
    pub image: Option<Value>,
}

/// With the answer in either spelling.
#[derive(Debug, Deserialize)]
pub(crate) struct Question {
    question: String,
    yes: Option<bool>,
    answer: Option<String>,
}

impl Row {
    /// `member` where the file says it for all.
    pub fn listed(self, member: Option<bool>, path: &Path) -> Result<Listed> {
        let number = self.number;
        let id = self.id.map_or_else(|| number.to_string(), Word::text);
        let wrong = |message: String, hint: &str| {
            let message = format!("row {number} ({:?}): {message}", brief(&id));
            Error::malformed(message).at(path).hint(hint)
        };
        let own = self.member.map(flag).transpose();
        let own = own.map_err(|(message, hint)| wrong(message, hint))?;
        let text = self.text.unwrap_or_default();
        if text.trim().is_empty() {
            let hint = "every row needs a field or column text; leave empty documents out";
            return Err(wrong("has no text".into(), hint));
        }
        let member = match (member, own) {
            (Some(file), Some(own)) if file != own => {
                return Err(wrong(
                    "says the opposite of its file about being a member".into(),
                    "put members and non-members into the files that are named for them",
                ));
            }
            (None, None) => {
                let hint = "add a field or column member that is true or false";
                return Err(wrong("has no member".into(), hint));
            }
            (file, own) => file.or(own).unwrap_or_default(),
        };
        let questions = self.questions.unwrap_or_default().into_iter();
        let questions = questions.map(|question| {
            let hint = "a question has yes = true or false, or answer = \"yes\" or \"no\"";
            question.checked().map_err(|message| wrong(message, hint))
        });
        Ok(Listed {
            member,
            topic: self.topic.map(Word::text),
            date: self.date.map(Word::text),
            document: Document {
                title: self.title.filter(|title| !title.trim().is_empty()),
                text,
                questions: questions.collect::<Result<_>>()?,
                about: None,
                id,
            },
        })
    }
}

impl Question {
    fn checked(self) -> std::result::Result<YesNoQuestion, String> {
        let said = self.answer.as_deref().map(str::trim).map(str::to_lowercase);
        let said = match said.as_deref() {
            Some("yes" | "true") => Some(true),
            Some("no" | "false") => Some(false),
            Some(other) => return Err(format!("a question has the answer {:?}", brief(other))),
            None => None,
        };
        match (self.yes, said) {
            (Some(yes), Some(said)) if yes != said => Err(format!(
                "the question {:?} has two answers",
                brief(&self.question)
            )),
            (None, None) => Err(format!(
                "the question {:?} has no answer",
                brief(&self.question)
            )),
            (yes, said) => Ok(YesNoQuestion {
                question: self.question,
                yes: yes.or(said).unwrap_or_default(),
            }),
        }
    }
}
