//! A language model that reads the sources and answers.

use std::ops::ControlFlow;

use super::{Generate, Generated, Message, OnText, Question, Role, Source};
use crate::{Error, ErrorKind, Result};

/// A model that holds conversations.
pub trait LanguageModel: Send + Sync {
    fn name(&self) -> &str;

    /// How many answers it writes side by side; nothing where each takes a core.
    fn at_once(&self) -> Option<usize> {
        None
    }

    /// How many tokens conversation and answer may have together.
    fn context(&self) -> usize;

    /// How many tokens a conversation has, as the model is shown it.
    fn count(&self, messages: &[Message]) -> Result<usize>;

    /// Goes on with a conversation.
    fn chat(
        &self,
        messages: &[Message],
        max_tokens: usize,
        temperature: f32,
        on_text: OnText,
    ) -> Result<Generated>;
}

const GROUNDED: &str = "Answer the question from the numbered sources below, briefly. \
    If they do not contain the answer, say \"I don't know based on the available documents.\"";
const CITING: &str = " Name the sources you use by their numbers, such as [1].";
const PLAIN: &str =
    "Answer the question briefly. If you do not know the answer, say \"I don't know.\"";

const PARAPHRASE: &str = "Say the following in your own words and in other words than it uses. Keep \
    its meaning, numbers and names. Answer with the new wording alone.";

/// A language model as a reader of sources.
pub struct Native {
    model: Box<dyn LanguageModel>,
}

impl Native {
    pub fn new(model: Box<dyn LanguageModel>) -> Self {
        Self { model }
    }

    /// The conversation with as many words of the sources as fit beside the answer.
    fn fitting(
        &self,
        question: &Question,
        sources: &[Source],
        answer: usize,
    ) -> Result<Vec<Message>> {
        let room = self.model.context().saturating_sub(answer);
        let fits = |words| -> Result<Option<Vec<Message>>> {
            let messages = conversation(question, sources, words);
            Ok((self.model.count(&messages)? <= room).then_some(messages))
        };
        let all = sources
            .iter()
            .map(|source| source.text.split_whitespace().count())
            .max()
            .unwrap_or(0);
        if let Some(messages) = fits(all)? {
            return Ok(messages);
        }
        let mut best = fits(0)?.ok_or_else(|| self.too_long(room))?;
        let (mut low, mut high) = (0, all);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match fits(middle)? {
                Some(messages) => (low, best) = (middle, messages),
                None => high = middle,
            }
        }
        Ok(best)
    }

    fn too_long(&self, room: usize) -> Error {
        let message = format!(
            "the question does not fit into the {room} tokens that {} has for it",
            self.model.name()
        );
        Error::new(ErrorKind::Setting, message).hint("ask in fewer words, or lower max_tokens")
    }
}

impl Generate for Native {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn at_once(&self) -> Option<usize> {
        self.model.at_once()
    }

    fn paraphrase(&self, answer: &str, max_tokens: usize) -> Result<String> {
        let messages = [
            Message::new(Role::System, PARAPHRASE),
            Message::new(Role::User, answer),
        ];
        let most = max_tokens.min(self.model.context() / 2).max(1);
        let on_text = &mut |_: &str| ControlFlow::Continue(());
        Ok(self.model.chat(&messages, most, 0.0, on_text)?.text)
    }

    fn answer(
        &self,
        question: &Question,
        sources: &[Source],
        on_text: OnText,
    ) -> Result<Generated> {
        let most = question.max_tokens.min(self.model.context() / 2).max(1);
        let messages = self.fitting(question, sources, most)?;
        self.model
            .chat(&messages, most, question.temperature, on_text)
    }
}

/// Instruction and sources first, the question last: questions about one document share their
/// beginning. Of each source at most so many words are shown.
fn conversation(question: &Question, sources: &[Source], words: usize) -> Vec<Message> {
    let mut opening = instruction(question, sources);
    for (place, source) in sources.iter().enumerate() {
        let title = source.title.filter(|_| question.citing);
        let title = title.map(|title| format!("{title}\n")).unwrap_or_default();
        let text = beginning(source.text, words);
        opening.push_str(&format!("\n\n[{}] {title}{text}", place + 1));
    }
    let mut messages = vec![Message::new(Role::System, opening)];
    let before = question
        .before
        .iter()
        .filter(|message| message.role != Role::System);
    messages.extend(before.cloned());
    messages.push(Message::new(Role::User, question.text));
    messages
}

/// What the service tells the model, behind what the caller tells it.
fn instruction(question: &Question, sources: &[Source]) -> String {
    let own = match (sources.is_empty(), question.citing) {
        (true, _) => PLAIN.to_owned(),
        (false, true) => format!("{GROUNDED}{CITING}"),
        (false, false) => GROUNDED.to_owned(),
    };
    let callers = question
        .before
        .iter()
        .filter(|message| message.role == Role::System);
    let callers = callers.map(|message| message.content.as_str());
    callers
        .chain([own.as_str()])
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn beginning(text: &str, words: usize) -> &str {
    match text.split_whitespace().nth(words) {
        None => text,
        Some(next) => text[..next.as_ptr() as usize - text.as_ptr() as usize].trim_end(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts words as tokens and answers with the conversation.
    struct Parrot;

    impl LanguageModel for Parrot {
        fn name(&self) -> &str {
            "parrot"
        }

        fn context(&self) -> usize {
            100
        }

        fn count(&self, messages: &[Message]) -> Result<usize> {
            Ok(messages
                .iter()
                .map(|message| message.content.split_whitespace().count())
                .sum())
        }

        fn chat(
            &self,
            messages: &[Message],
            _: usize,
            _: f32,
            on_text: OnText,
        ) -> Result<Generated> {
            let heard: Vec<&str> = messages
                .iter()
                .map(|message| message.content.as_str())
                .collect();
            let text = heard.join("\n\n");
            let _ = on_text(&text);
            Ok(Generated {
                text,
                prompt_tokens: self.count(messages)?,
                ..Generated::default()
            })
        }
    }

    fn ask(text: &str, sources: &[Source], citing: bool) -> Result<Generated> {
        let before = [
            Message::new(Role::System, "Be kind."),
            Message::new(Role::User, "Hello"),
        ];
        let question = Question {
            text,
            before: &before,
            max_tokens: 20,
            temperature: 0.0,
            citing,
        };
        Native::new(Box::new(Parrot)).answer(&question, sources, &mut |_| ControlFlow::Continue(()))
    }

    #[test]
    fn sources_stand_between_instruction_and_question() {
        let sources = [
            Source {
                id: "a",
                title: Some("Cats"),
                text: "Cats sit.",
            },
            Source {
                id: "b",
                title: None,
                text: "Dogs run.",
            },
        ];
        let heard = ask("Who sits?", &sources, true).unwrap().text;
        assert!(
            heard.starts_with("Be kind.\n\nAnswer the question from"),
            "{heard}"
        );
        assert!(
            heard.ends_with("[1] Cats\nCats sit.\n\n[2] Dogs run.\n\nHello\n\nWho sits?"),
            "{heard}"
        );
        assert!(
            !ask("Who sits?", &sources, false)
                .unwrap()
                .text
                .contains("Cats\n")
        );
        assert!(
            !ask("Who sits?", &[], true)
                .unwrap()
                .text
                .contains("sources")
        );
    }

    #[test]
    fn sources_are_cut_to_the_context() {
        let long = "word ".repeat(500);
        let sources = [Source {
            id: "a",
            title: None,
            text: &long,
        }; 2];
        let heard = ask("Who sits?", &sources, true).unwrap();
        assert!(
            (77..=80).contains(&heard.prompt_tokens),
            "{}",
            heard.prompt_tokens
        );
        let error = ask(&long, &sources, true).unwrap_err().to_string();
        assert!(
            error.contains("parrot") && error.contains("hint"),
            "{error}"
        );
    }
}
