//! The words around what is asked: short, so that they lead to no document by themselves.

use super::facts::{Fact, FactKind};

/// How somebody asks.
pub struct Wording {
    /// What it is about; `{}` stands for the phrases.
    about: [&'static str; 3],
    /// `{}` stands for what is counted.
    count: [&'static str; 2],
    share: [&'static str; 2],
    year: [&'static str; 2],
    value: [&'static str; 2],
    name: [&'static str; 2],
    term: [&'static str; 2],
    and: &'static str,
    comma: &'static str,
    mark: &'static str,
    /// Short answers quote nothing, so that nothing that looks for quotations holds them back.
    brief: &'static str,
}

static ENGLISH: Wording = Wording {
    about: ["With {}", "On {}", "As for {}"],
    count: ["how many {} were there", "what was the number of {}"],
    share: ["what percentage was it", "how many percent was it"],
    year: ["which year was it", "in what year was it"],
    value: ["what was the number", "which figure was it"],
    name: ["which name is there", "who or what is named"],
    term: ["what else is there", "which term is there"],
    and: " and ",
    comma: ", ",
    mark: "?",
    brief: " Answer in a few words.",
};

/// In the language of a text.
pub fn of(_text: &str) -> &'static Wording {
    &ENGLISH
}

impl Wording {
    /// For a fact among these phrases; no mark at its end.
    pub fn ask(&self, fact: &Fact, phrases: &[&str], turn: usize) -> String {
        let about = self.about[turn % self.about.len()].replace("{}", &self.list(phrases));
        let pick = |wordings: &[&'static str; 2]| wordings[turn % 2];
        let asked = match fact.kind {
            FactKind::Count(noun) => pick(&self.count).replace("{}", noun),
            FactKind::Share => pick(&self.share).to_owned(),
            FactKind::Year => pick(&self.year).to_owned(),
            FactKind::Value => pick(&self.value).to_owned(),
            FactKind::Name => pick(&self.name).to_owned(),
            FactKind::Term => pick(&self.term).to_owned(),
        };
        format!("{about}{}{asked}", self.comma)
    }

    /// Two questions in one sentence.
    pub fn both(&self, one: &str, other: &str) -> String {
        let mut letters = other.chars();
        let other = letters
            .next()
            .map(|first| first.to_lowercase().chain(letters).collect::<String>());
        format!("{one}{}{}", self.comma.trim_end(), self.and) + &other.unwrap_or_default()
    }

    /// A sentence, and the wish for a short answer.
    pub fn end(&self, asked: &str) -> String {
        format!("{asked}{}{}", self.mark, self.brief)
    }

    fn list(&self, phrases: &[&str]) -> String {
        match phrases.split_last() {
            None => String::new(),
            Some((last, [])) => (*last).to_owned(),
            Some((last, before)) => format!("{}{}{last}", before.join(self.comma), self.and),
        }
    }
}
