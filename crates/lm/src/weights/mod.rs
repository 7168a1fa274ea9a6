//! A model's tensors by the names of Hugging Face, as f32, wherever they are stored.

mod array;
mod gguf;
mod lora;
mod safetensors;

pub(crate) use array::Array;
pub(crate) use gguf::GgufFile;
pub(crate) use lora::Adapter;
pub(crate) use safetensors::SafetensorsFiles;

use std::collections::HashSet;
use std::sync::Mutex;

use crate::config::Architecture;
use crate::{Error, Result};

pub(crate) enum Files {
    Folder(SafetensorsFiles),
    Gguf(GgufFile),
}

pub(crate) struct Weights {
    /// Stored names that were asked for.
    used: Mutex<HashSet<String>>,
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
            used: Mutex::default(),
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
            Files::Gguf(file) => file.stored_name(self.architecture, name),
        }
    }

    /// A tensor of a given shape, all finite, with the adapter merged into it.
    pub(crate) fn array(&self, name: &str, shape: &[usize]) -> Result<Array> {
        let Some(stored) = self.stored(name) else {
            return Err(Error::missing(format!("tensor {name:?} is missing"))
                .hint("the weights are not those that the model's description promises"));
        };
        if let Ok(mut used) = self.used.lock() {
            used.insert(stored.clone());
        }
        let array = match &self.files {
            Files::Folder(files) => files.array(&stored)?,
            Files::Gguf(file) => file.array(self.architecture, name, &stored)?,
        };
        let array = array.shaped(&stored, shape)?;
        match &self.adapter {
            Some(adapter) => adapter.merge(name, array),
            None => Ok(array),
        }
    }

    /// Refuses files with weights that nobody asked for: half a model scores texts too.
    pub(crate) fn check_all_used(&self) -> Result<()> {
        let names = match &self.files {
            Files::Folder(files) => files.names(),
            Files::Gguf(file) => file.names(),
        };
        let Ok(used) = self.used.lock() else {
            return Ok(());
        };
        let unused = |name: &&String| !used.contains(*name) && !is_harmless(name);
        let left: Vec<&String> = names.into_iter().filter(unused).collect();
        match left.first() {
            None => Ok(()),
            Some(first) => Err(Error::mismatch(format!(
                "{} tensors are not part of the model that its description describes, such as \
                 {first:?}",
                left.len()
            ))
            .hint("config.json and weights do not belong together: check the number of layers")),
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

    /// Whether 1 is still to be added to weights of normalisation. Gemma's are stored so; the
    /// converter of llama.cpp adds it.
    pub(crate) fn norms_lack_one(&self) -> bool {
        self.architecture.is_gemma() && matches!(self.files, Files::Folder(_))
    }

    /// How the files store most of their numbers.
    pub(crate) fn stored_type(&self) -> String {
        match &self.files {
            Files::Folder(files) => files.stored_type(),
            Files::Gguf(file) => file.stored_type(),
        }
    }
}

/// Constants that some versions of transformers store, and heads that are tied to the embedding.
fn is_harmless(name: &str) -> bool {
    let constants = [
        ".attn.bias",
        ".attn.masked_bias",
        ".attention.bias",
        ".attention.masked_bias",
        ".rotary_emb.inv_freq",
        "rope_freqs.weight",
        "lm_head.weight",
        "embed_out.weight",
        "output.weight",
    ];
    constants.iter().any(|constant| name.ends_with(constant))
}

/// What tensors' names begin with when a whole model, with its head, was saved.
fn prefix(architecture: Architecture) -> &'static str {
    match architecture {
        Architecture::Gpt2 => "transformer.",
        Architecture::GptNeox => "gpt_neox.",
        _ => "model.",
    }
}
