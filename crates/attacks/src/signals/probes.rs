//! Probe signals: what a service that answers from a store of documents said when it was asked
//! about one of them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use text::Language;

pub use super::metadata::{Metadata, stands_in};
pub use super::shared_text::{SharedText, SharedTexts};

/// A document whose membership is in question, as an attacker holds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Empty where only the exchanges about it are known.
    #[serde(default)]
    pub text: String,
    /// Questions with known answers that came with the document, or that a helper model wrote.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<YesNoQuestion>,
    /// What it is about, in a phrase, where a helper model wrote one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// What language to ask in, where somebody said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
}

impl Document {
    /// The language that questions about it are asked in: the one that was said, or else its text's.
    pub fn language(&self) -> Language {
        self.language.unwrap_or_else(|| Language::of(&self.text))
    }
}

/// A question that the document answers with yes or no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct YesNoQuestion {
    pub question: String,
    /// Whether the document says yes.
    pub yes: bool,
}

/// The strategy of questions about documents whose facts were invented for the audit. No attack asks
/// them, and none sees them.
pub const CONTROL: &str = "control";

/// One question about a document, and what a knowing answer holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Probe {
    /// The attack that asks: its id.
    pub strategy: String,
    pub variation: usize,
    pub query: String,
    #[serde(default, skip_serializing_if = "Expected::is_nothing")]
    pub expected: Expected,
}

/// What the document lets one expect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    #[default]
    Nothing,
    Yes,
    No,
    /// One of these spellings.
    Fact(Vec<String>),
    /// The words behind the numbered masks, from 1.
    Masks(Vec<String>),
}

impl Expected {
    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

/// The service as it is, or the same service without its store.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Arm {
    #[default]
    Retrieval,
    NoRetrieval,
}

/// What came back, and where it says it has it from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub answer: SharedText,
    /// What the service shows as its sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<SourceShown>,
    /// What it looked up, where that is visible; looked at for the hit rate alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retrieved: Vec<SourceShown>,
    /// Texts of the response that are neither answer nor source, such as thoughts: each with the place where it stands
    /// in the place of an id. Who asks sees them too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asides: Vec<SourceShown>,
    /// What else the response says, in numbers and in words.
    #[serde(default, skip_serializing_if = "Metadata::is_empty")]
    pub metadata: Metadata,
    /// From sending to the last byte.
    #[serde(default)]
    pub seconds: f64,
    /// Why the service itself says that it did not answer, such as `content_filter`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// The service says that it stopped at its limit of tokens.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_short: bool,
    /// The response is longer than what is kept of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shortened: bool,
    /// Of the answer under a helper model, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perplexity: Option<f64>,
}

impl Reply {
    /// Every text of it that may come again.
    pub fn texts(&mut self) -> impl Iterator<Item = &mut SharedText> {
        let sources = self.citations.iter_mut().chain(&mut self.retrieved);
        let parts = sources.chain(&mut self.asides).flat_map(SourceShown::parts);
        std::iter::once(&mut self.answer)
            .chain(parts)
            .chain(self.metadata.texts())
    }
}

/// A source in an answer. At least one field is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceShown {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<SharedText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<SharedText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<SharedText>,
}

impl SourceShown {
    /// What it says, part by part.
    pub fn parts(&mut self) -> impl Iterator<Item = &mut SharedText> {
        let parts = [&mut self.id, &mut self.title, &mut self.text];
        parts.into_iter().flatten()
    }
}

/// A question that was asked, and its answer where one came. The same question goes to both arms; an answer is
/// looked at in many places, and lies in one.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    pub probe: Arc<Probe>,
    pub reply: Option<Arc<Reply>>,
}

/// A document with everything that was asked about it in one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed<'a> {
    pub document: &'a Document,
    pub exchanges: Vec<&'a Exchange>,
    /// The same questions without retrieval; empty where they were not asked, or where that arm
    /// itself is looked at.
    pub without: Vec<&'a Exchange>,
}
