//! Models of the `lm` room as writers of the service.

use std::ops::ControlFlow;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use lm::{ChatMessage, Detokeniser, DeviceChoice, Finish, Generator, Precision, Sampling};
use serde::Deserialize;

use crate::batching::{AT_ONCE, Batches};
use crate::generate::{Generated, LanguageModel, Message, OnText, Role};
use crate::{Error, Result};

/// Where a model runs: `cpu`, `cuda`, `cuda:1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Device(DeviceChoice);

impl FromStr for Device {
    type Err = Error;

    fn from_str(written: &str) -> Result<Self> {
        let choice = match written.split_once(':') {
            None if written == "cpu" => Some(DeviceChoice::Cpu),
            None if written == "cuda" => Some(DeviceChoice::Cuda(0)),
            Some(("cuda", number)) => number.parse().ok().map(DeviceChoice::Cuda),
            _ => None,
        };
        choice.map(Self).ok_or_else(|| {
            Error::usage(
                format!("there is no device {written:?}"),
                "choose cpu, cuda, or cuda:1 for the second device",
            )
        })
    }
}

impl TryFrom<String> for Device {
    type Error = Error;

    fn try_from(written: String) -> Result<Self> {
        written.parse()
    }
}

/// Opens a language model that holds conversations: a folder or a `.gguf` file. On a CUDA device it
/// computes in bf16, and answers several questions at once.
pub fn open_language_model(path: &Path, device: Device) -> Result<Box<dyn LanguageModel>> {
    let precision = match device.0 {
        DeviceChoice::Cpu => Precision::F32,
        DeviceChoice::Cuda(_) => Precision::Bf16,
    };
    let model = lm::Model::open(&lm::Source::new(path), device.0, precision)?;
    let name = path.file_stem().unwrap_or(path.as_os_str());
    let model = Arc::new(model);
    let generator = Generator::new(Arc::clone(&model));
    Ok(Box::new(Conversation {
        name: name.to_string_lossy().into_owned(),
        writer: match model.grows_together() {
            true => Writer::Together(Batches::new(generator)?),
            false => Writer::Alone(generator),
        },
        model,
    }))
}

struct Conversation {
    model: Arc<lm::Model>,
    writer: Writer,
    name: String,
}

enum Writer {
    /// Each answer by the thread that wants it.
    Alone(Generator),
    Together(Batches),
}

impl Conversation {
    fn prompt(&self, messages: &[Message]) -> Result<Vec<u32>> {
        let turn =
            |message: &Message| ChatMessage::new(role(message.role), message.content.clone());
        let turns: Vec<ChatMessage> = messages.iter().map(turn).collect();
        self.model.chat(&turns)
    }

    fn alone(
        &self,
        generator: &Generator,
        prompt: &[u32],
        sampling: &Sampling,
        on_text: OnText,
    ) -> Result<lm::Generated> {
        let mut pieces = Detokeniser::new(self.model.tokenizer());
        let mut broken = None;
        let written =
            generator.generate(prompt, sampling, &mut |token| match pieces.push(token) {
                Ok(piece) => on_text(&piece) == ControlFlow::Continue(()),
                Err(error) => {
                    broken = Some(error);
                    false
                }
            })?;
        if let Some(error) = broken {
            return Err(error);
        }
        let _ = on_text(&pieces.finish()?);
        Ok(written)
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

    fn at_once(&self) -> Option<usize> {
        match self.writer {
            Writer::Alone(_) => None,
            Writer::Together(_) => Some(AT_ONCE),
        }
    }

    fn context(&self) -> usize {
        self.model.about().context
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
        let prompt = self.prompt(messages)?;
        let written = match &self.writer {
            Writer::Alone(generator) => self.alone(generator, &prompt, &sampling, on_text)?,
            Writer::Together(batches) => batches.generate(prompt, sampling, on_text)?,
        };
        Ok(Generated {
            prompt_tokens: written.prompt_tokens,
            written_tokens: written.tokens.len(),
            cut: written.finished == Finish::Length,
            text: written.text,
        })
    }
}
