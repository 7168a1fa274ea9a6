//! Conversations: how a model wants them laid out, and which tokens end its turn.

mod finished;
mod found;
mod template;

pub use finished::ChatTemplate;
pub(crate) use found::{from_folder, from_gguf};

use crate::Result;
use crate::tokenizer::Tokenizer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChatMessage {
    /// `system`, `user` or `assistant`.
    pub role: String,
    pub content: String,
}

impl ChatMessage {
    pub fn new(role: impl Into<String>, content: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            content: content.into(),
        }
    }
}

/// What a model's files say about conversations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conversation {
    /// In the language of Jinja.
    template: Option<String>,
    /// The tokens that templates call `bos_token` and `eos_token`.
    begin: String,
    end: String,
    /// Tokens that end a text.
    stops: Vec<u32>,
}

/// Special tokens that end a text or a turn, whatever a model's files say of them.
const ENDS: [&str; 9] = [
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|end_of_turn|>",
    "<end_of_turn>",
    "</s>",
];

impl Conversation {
    /// Add what the tokenizer knows.
    pub(crate) fn with_tokenizer(mut self, tokenizer: &Tokenizer) -> Self {
        let spelled = ENDS.iter().copied().chain([self.end.as_str()]);
        let ids: Vec<u32> = spelled.filter_map(|end| tokenizer.special(end)).collect();
        self.stops.extend(ids);
        self
    }

    pub(crate) fn has_template(&self) -> bool {
        self.template.is_some()
    }

    pub(crate) fn ends_text(&self, token: u32) -> bool {
        self.stops.contains(&token)
    }

    /// A prompt that ends where the assistant's answer begins.
    pub(crate) fn prompt(&self, messages: &[ChatMessage], by: &Tokenizer) -> Result<Vec<u32>> {
        match &self.template {
            Some(template) => {
                let text = template::render(template, messages, (&self.begin, &self.end), true)?;
                // The template writes the special tokens itself.
                by.encode_bare(&text)
            }
            None => by.encode(&plain(messages)),
        }
    }
}

/// For models that were never taught a layout.
fn plain(messages: &[ChatMessage]) -> String {
    let turn = |message: &ChatMessage| format!("{}: {}\n", message.role, message.content);
    let mut text: String = messages.iter().map(turn).collect();
    text.push_str("assistant:");
    text
}
