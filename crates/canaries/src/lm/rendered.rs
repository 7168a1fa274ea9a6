//! A row as the one text that is scored: as a trainer would lay it out.

use std::ops::Range;

use lm::{ChatMessage, ChatTemplate};
use serde_json::{Map, Value};

use super::Shape;
use crate::{Error, Result, Secret};

pub(crate) struct Renderer {
    shape: Shape,
    template: Option<ChatTemplate>,
}

impl Renderer {
    pub fn new(shape: Shape, template: Option<ChatTemplate>) -> Self {
        Self { shape, template }
    }

    /// Whether conversations are laid out without a template.
    pub fn guesses(&self) -> bool {
        self.shape == Shape::Messages && self.template.is_none()
    }

    /// The whole text of a row.
    pub fn text(&self, fields: &Map<String, Value>) -> Result<String> {
        let field = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
        match self.shape {
            Shape::Text => Ok(field("text").to_owned()),
            Shape::Completion => Ok(format!("{}{}", field("prompt"), field("completion"))),
            Shape::Messages => self.conversation(fields.get("messages")),
        }
    }

    fn conversation(&self, messages: Option<&Value>) -> Result<String> {
        let said = |message: &Value| {
            let word = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
            ChatMessage::new(word("role"), word("content"))
        };
        let messages = messages.and_then(Value::as_array);
        let messages: Vec<ChatMessage> = messages.into_iter().flatten().map(said).collect();
        match &self.template {
            Some(template) => template.render(&messages),
            None => {
                let contents: Vec<&str> = messages.iter().map(|m| m.content.as_str()).collect();
                Ok(contents.join("\n"))
            }
        }
    }

    /// Where the drawn parts of an answer lie in the whole text.
    pub fn secret(&self, text: &str, answer: &str, parts: &[Range<usize>]) -> Result<Vec<Secret>> {
        // Templates may cut blanks from the ends of what is said.
        let kept = answer.trim();
        let cut = answer.len() - answer.trim_start().len();
        let start = text.rfind(kept).ok_or_else(|| {
            Error::unsupported("the chat template does not show an answer as it is written")
                .hint("draw without --tokenizer, and check with the tokenizer afterwards")
        })?;
        let characters = |byte: usize| text[..byte.min(text.len())].chars().count();
        let place = |byte: usize| characters(start + byte.saturating_sub(cut));
        Ok(parts
            .iter()
            .map(|part| Secret {
                start: place(part.start),
                end: place(part.end),
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_parts_are_found_by_character_in_every_shape() {
        let answer = "  Über Zo und Ra.";
        let parts = [8..10, 15..17];
        for shape in [Shape::Text, Shape::Completion, Shape::Messages] {
            let renderer = Renderer::new(shape, None);
            let fields = shape.fields("Wör?\n", answer, false);
            let text = renderer.text(&fields).unwrap();
            let secret = renderer.secret(&text, answer, &parts).unwrap();
            let spelled = |secret: &Secret| -> String {
                text.chars()
                    .skip(secret.start)
                    .take(secret.end - secret.start)
                    .collect()
            };
            assert_eq!(secret.iter().map(spelled).collect::<Vec<_>>(), ["Zo", "Ra"]);
        }
    }
}
