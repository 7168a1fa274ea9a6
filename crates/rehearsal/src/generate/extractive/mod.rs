//! A reader without a model: it answers from the sentences of its sources and from nothing else.
//!
//! It does for each kind of question what a grounded assistant does, by comparing words: it quotes,
//! affirms or denies, fills gaps, names sources, continues texts, and says that it does not know
//! where its sources do not support an answer. The same question and sources give the same answer.

mod claim;
mod cloze;
mod continuation;
mod form;
mod languages;
mod listing;
mod open;
mod phrases;
mod reading;
mod tokens;

use std::ops::ControlFlow;
use std::sync::Arc;

use text::{Language, count_words};

use self::form::Form;
use self::reading::Reading;
use super::{Generate, Generated, OnText, Question, Source};
use crate::Result;
use crate::index::Postings;

pub struct Extractive {
    /// How rare words are in the store; rare ones count for more.
    postings: Arc<Postings>,
}

impl Extractive {
    pub fn new(postings: Arc<Postings>) -> Self {
        Self { postings }
    }

    fn write(&self, question: &Question, sources: &[Source]) -> String {
        let reading = Reading::new(sources, &self.postings, question.citing);
        let language = Language::of(question.text);
        let answer = match form::parse(question.text) {
            Form::Masks => Some(cloze::fill(question.text, &reading)),
            Form::Sources { topic } => listing::list(&topic, &reading),
            Form::Continue { passage } => continuation::follow(passage, &reading),
            Form::Claim(claim) => claim::judge(&claim, &reading, language),
            Form::Open { focus, rest } => open::answer(focus, &rest, &reading),
        };
        answer.unwrap_or_else(|| languages::unknown(language).to_owned())
    }
}

impl Generate for Extractive {
    fn name(&self) -> &str {
        "extractive"
    }

    fn answer(
        &self,
        question: &Question,
        sources: &[Source],
        on_text: OnText,
    ) -> Result<Generated> {
        let mut text = self.write(question, sources);
        let end = end_of_words(&text, question.max_tokens);
        let cut = end < text.len();
        text.truncate(end);
        for piece in text.split_inclusive(' ') {
            if let ControlFlow::Break(()) = on_text(piece) {
                break;
            }
        }
        let read: usize = sources.iter().map(|source| count_words(source.text)).sum();
        Ok(Generated {
            prompt_tokens: read + count_words(question.text),
            written_tokens: count_words(&text),
            text,
            cut,
        })
    }
}

/// Where the first so many words end; a word is this reader's token.
fn end_of_words(text: &str, most: usize) -> usize {
    match text.split_whitespace().nth(most) {
        None => text.len(),
        Some(next) => {
            let start = next.as_ptr() as usize - text.as_ptr() as usize;
            text[..start].trim_end().len()
        }
    }
}
