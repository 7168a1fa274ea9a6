//! The documents of an audit of a service: those that its store holds, and others like them.

use std::path::{Path, PathBuf};

use attacks::signals::probes::{Document, YesNoQuestion};
use serde::Deserialize;
use stats::streams::Seed;
use text::{DocumentFrequencies, Language};

use super::checks;
use super::controls::{Control, controls_of};
use super::entries::{self, Asked, asked};
use super::membership::{MemberFiles, Membership, seen_from};
use super::row::Row;
use super::values::brief;
use crate::Result;

/// Where the documents are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DocumentSettings {
    pub members: Option<PathBuf>,
    pub nonmembers: Option<PathBuf>,
    /// Documents of which nobody knows: they are asked about, and called.
    pub unknown: Option<PathBuf>,
    /// One file in place of two, with `member` in every row.
    pub file: Option<PathBuf>,
    /// The most of each set, chosen at random: a smaller limit chooses among what a larger one has.
    pub limit: Option<usize>,
    /// Documents with invented facts that were put into the store: they must be found again.
    pub controls: Option<PathBuf>,
    /// What language to ask in, whatever the documents look like: en, de, fr, es or zh.
    pub language: Option<Language>,
}

/// A document and what is known of it beside its text.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledDocument {
    pub document: Document,
    /// Nothing where nobody knows.
    pub member: Option<bool>,
    pub topic: Option<String>,
    pub date: Option<String>,
}

/// The documents that are asked about.
#[derive(Clone, Debug)]
pub struct DocumentsRead {
    pub documents: Vec<LabelledDocument>,
    /// Of all documents, those beyond the limit too: what is asked about one does not change with it.
    pub frequencies: DocumentFrequencies,
}

/// What lots of documents are drawn for.
const LOTS: &str = "documents";

impl LabelledDocument {
    /// The smaller, the earlier it is asked about among those of its set; the limit keeps the smallest.
    pub fn lot(&self, seed: Seed) -> u64 {
        entries::lot(seed, LOTS, self)
    }
}

impl Asked for LabelledDocument {
    const NOUN: &'static str = "document";

    fn id(&self) -> &str {
        &self.document.id
    }

    fn text(&self) -> Option<&str> {
        Some(&self.document.text)
    }
}

impl DocumentSettings {
    /// Every file that is named, seen from a folder.
    pub fn files(&self, base: &Path) -> Vec<PathBuf> {
        let named = [
            &self.file,
            &self.members,
            &self.nonmembers,
            &self.unknown,
            &self.controls,
        ];
        seen_from(base, &named)
    }

    /// Reads and checks the documents: members first where there are two files. The seed chooses
    /// which, where there are more than the limit.
    pub fn read(&self, base: &Path, seed: Seed) -> Result<DocumentsRead> {
        entries::check_limit("documents", self.limit)?;
        let files = MemberFiles {
            section: "documents",
            file: self.file.as_deref(),
            members: self.members.as_deref(),
            nonmembers: self.nonmembers.as_deref(),
            unknown: self.unknown.as_deref(),
            hint: "set documents.members to what the store holds and documents.nonmembers to what \
                   it does not",
        };
        let mut all = files.read(base, listed)?;
        let every = all.iter().map(|entry| entry.asked.document.text.as_str());
        let frequencies = DocumentFrequencies::new(every);
        for set in [Membership::Member, Membership::NonMember] {
            entries::limit(&mut all, Some(set), self.limit, LOTS, seed);
        }
        let mut documents = asked(all);
        for listed in &mut documents {
            listed.document.language = self.language;
        }
        Ok(DocumentsRead {
            documents,
            frequencies,
        })
    }

    /// The controls, where there are any.
    pub fn controls(&self, base: &Path) -> Result<Vec<Control>> {
        let path = self.controls.as_ref().map(|path| base.join(path));
        path.map_or(Ok(Vec::new()), |path| controls_of(&path))
    }
}

/// The documents of one file or folder, whoever is a member.
pub fn documents_of(path: &Path) -> Result<Vec<Document>> {
    let files = [(path.to_owned(), None::<Membership>)];
    let all = entries::read(&files, |_| Ok(None), |row, _| listed(row, None))?;
    checks::no_empty_file(&files, &all, "")?;
    let all = asked(all).into_iter();
    Ok(all.map(|listed| listed.document).collect())
}

fn listed(mut row: Row, member: Option<bool>) -> Result<LabelledDocument> {
    let text = row.take_text()?;
    let title = row.fields.title.take();
    Ok(LabelledDocument {
        member,
        topic: row.take_topic()?,
        date: row.take_date(),
        document: Document {
            title: row.string(title, "title")?,
            text,
            questions: questions(&mut row)?,
            id: row.id,
            ..Document::default()
        },
    })
}

/// A text alone is one that the document answers with yes.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Given {
    Text(String),
    Answered(Question),
}

impl From<Given> for Question {
    fn from(given: Given) -> Self {
        match given {
            Given::Answered(question) => question,
            Given::Text(question) => Question {
                question,
                yes: Some(true),
                answer: None,
            },
        }
    }
}

/// With the answer in either spelling.
#[derive(Debug, Deserialize)]
struct Question {
    question: String,
    yes: Option<bool>,
    answer: Option<String>,
}

fn questions(row: &mut Row) -> Result<Vec<YesNoQuestion>> {
    let hint = "a question is a text that the document answers with yes, or has yes = true or false, or \
                answer = \"yes\" or \"no\"";
    let questions = row.fields.questions.take();
    let questions: Option<Vec<Given>> = row.parsed(questions, "questions", hint)?;
    let questions = questions.unwrap_or_default().into_iter();
    let checked = questions.map(|question| Question::from(question).checked());
    checked
        .map(|checked| checked.map_err(|message| row.wrong(message, hint)))
        .collect()
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
