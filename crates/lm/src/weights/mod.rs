//! A model's tensors by the names of Hugging Face, as f32, wherever they are stored.

mod array;
mod gguf;
mod lora;
mod safetensors;

pub(crate) use array::Array;
pub(crate) use gguf::GgufFile;
pub(crate) use lora::Adapter;
pub(crate) use safetensors::SafetensorsFiles;

use crate::config::Architecture;
use crate::error::{Error, Result};

pub(crate) enum Files {
    Folder(SafetensorsFiles),
    Gguf(GgufFile),
}

pub(crate) struct Weights {
    files: Files,
    adapter: Option<Adapter>,
    architecture: Architecture,
}

impl Weights {
    pub(crate) fn new(
        files: Files,
        adapter: Option<Adapter>,
        architecture: Architecture,
    ) -> Result<Self> {
        let weights = Self {
            files,
            adapter,
            architecture,
        };
        if let Some(adapter) = &weights.adapter {
            adapter.check_targets(|name| weights.stored(name).is_some())?;
        }
        Ok(weights)
    }

    /// What the files call a tensor; with or without the prefix of the whole model's class.
    fn stored(&self, name: &str) -> Option<String> {
        match &self.files {
            Files::Folder(files) => [format!("{}{name}", prefix(self.architecture)), name.into()]
                .into_iter()
                .find(|name| files.has(name)),
            Files::Gguf(file) => file.stored_name(name),
        }
    }

    /// A tensor of a given shape, all finite, with the adapter merged into it.
    pub(crate) fn array(&self, name: &str, shape: &[usize]) -> Result<Array> {
        let Some(stored) = self.stored(name) else {
            return Err(Error::missing(format!("tensor {name:?} is missing"))
                .hint("the weights are not those that the model's description promises"));
        };
        let array = match &self.files {
            Files::Folder(files) => files.array(&stored)?,
            Files::Gguf(file) => file.array(self.architecture, name, &stored)?,
        };
        if array.shape != shape {
            return Err(Error::mismatch(format!(
                "tensor {stored:?} has shape {:?} but the model's description asks for {shape:?}",
                array.shape
            )));
        }
        if array.data.len() != shape.iter().product::<usize>() {
            return Err(Error::malformed(format!(
                "tensor {stored:?} is not laid out as its shape {shape:?} says"
            )));
        }
        match &self.adapter {
            Some(adapter) => adapter.merge(name, array),
            None => Ok(array),
        }
    }

    pub(crate) fn vector(&self, name: &str, length: usize) -> Result<Vec<f32>> {
        self.array(name, &[length]).map(|array| array.data)
    }

    /// Heads' factors for rotary positions, which only GGUF files list.
    pub(crate) fn rope_factors(&self) -> Result<Option<Vec<f32>>> {
        match &self.files {
            Files::Gguf(file) => file.rope_factors(),
            Files::Folder(_) => Ok(None),
        }
    }

    /// How the files store most of their numbers.
    pub(crate) fn stored_type(&self) -> String {
        match &self.files {
            Files::Folder(files) => files.stored_type(),
            Files::Gguf(file) => file.stored_type(),
        }
    }
}

/// What tensors' names begin with when a whole model, with its head, was saved.
fn prefix(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::Gpt2 => "transformer.",
        Architecture::Llama | Architecture::Qwen2 => "model.",
        Architecture::GptNeox => "gpt_neox.",
    }
}
