//! Who writes the answers: a reader that copies from its sources, or a language model.

mod extractive;
mod native;

use std::ops::ControlFlow;

pub use extractive::Extractive;
pub use native::{LanguageModel, Native};

use crate::Result;

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Assistant,
}

/// A part of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub role: Role,
    pub content: String,
}

impl Message {
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
        }
    }
}

/// What is to be answered.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The words of the user that are to be answered.
    pub text: &'a str,
    /// What was said before them.
    pub before: &'a [Message],
    pub max_tokens: usize,
    pub temperature: f32,
    /// Whether the answer may name its sources.
    pub citing: bool,
}

/// A chunk that was looked up. Its number in an answer is its place, counted from one.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub id: &'a str,
    pub title: Option<&'a str>,
    pub text: &'a str,
}

/// An answer as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generated {
    pub text: String,
    pub prompt_tokens: usize,
    pub written_tokens: usize,
    /// Whether the limit ended it.
    pub cut: bool,
}

/// Takes an answer piece by piece, and says whether it wants more.
pub type OnText<'a> = &'a mut dyn FnMut(&str) -> ControlFlow<()>;

/// Writes answers.
pub trait Generate: Send + Sync {
    fn name(&self) -> &str;

    /// How many answers it writes side by side; nothing where each takes a core.
    fn at_once(&self) -> Option<usize> {
        None
    }

    /// An answer in other words.
    fn paraphrase(&self, answer: &str, max_tokens: usize) -> Result<String> {
        let _ = max_tokens;
        Ok(crate::defences::reworded(answer))
    }

    /// An answer from sources, or without any where nothing was looked up.
    fn answer(&self, question: &Question, sources: &[Source], on_text: OnText)
    -> Result<Generated>;
}
