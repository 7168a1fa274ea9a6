//! Models of the `lm` room as writers of the service.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use lm::{ChatMessage, Detokeniser, DeviceChoice, Finish, Generator, Precision, Sampling};

use crate::Result;
use crate::generate::{Generated, LanguageModel, Message, OnText, Role};

/// Opens a language model that holds conversations: a folder or a `.gguf` file.
pub fn open_language_model(path: &Path) -> Result<Box<dyn LanguageModel>> {
    let model = lm::Model::open(&lm::Source::new(path), DeviceChoice::Cpu, Precision::F32)?;
    let name = path.file_stem().unwrap_or(path.as_os_str());
    Ok(Box::new(Conversation {
        name: name.to_string_lossy().into_owned(),
        generator: Generator::new(Arc::new(model)),
    }))
}

struct Conversation {
    generator: Generator,
    name: String,
}

impl Conversation {
    fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>> {
        let turn =
            |message: &Message| ChatMessage::new(role(message.role), message.content.clone());
        let turns: Vec<ChatMessage> = messages.iter().map(turn).collect();
        self.generator.model().chat(&turns)
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

impl LanguageModel for Conversation {
    fn name(&self) -> &str {
        &self.name
    }

    fn context(&self) -> usize {
        self.generator.model().about().context
    }

    fn count(&self, messages: &[Message]) -> Result<usize> {
        Ok(self.prompt(messages)?.len())
    }

    fn chat(
        &self,
        messages: &[Message],
        max_tokens: usize,
        temperature: f32,
        on_text: OnText,
    ) -> Result<Generated> {
        let sampling = Sampling {
            max_tokens,
            temperature,
            ..Sampling::default()
        };
        let mut pieces = Detokeniser::new(self.generator.model().tokenizer());
        let mut broken = None;
        let written = self.generator.generate(
            &self.prompt(messages)?,
            &sampling,
            &mut |token| match pieces.push(token) {
                Ok(piece) => on_text(&piece) == ControlFlow::Continue(()),
                Err(error) => {
                    broken = Some(error);
                    false
                }
            },
        )?;
        if let Some(error) = broken {
            return Err(error);
        }
        let _ = on_text(&pieces.finish()?);
        Ok(Generated {
            prompt_tokens: written.prompt_tokens,
            written_tokens: written.tokens.len(),
            cut: written.finished == Finish::Length,
            text: written.text,
        })
    }
}
