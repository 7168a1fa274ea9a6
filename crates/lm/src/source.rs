//! What to open, and where and how finely to compute.

use std::path::PathBuf;

/// The files of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// A folder in the layout of Hugging Face, or a `.gguf` file.
    pub path: PathBuf,
    /// A folder with a LoRA adapter in the layout of PEFT.
    pub adapter: Option<PathBuf>,
    /// A `tokenizer.json` to use instead of the model's own.
    pub tokenizer: Option<PathBuf>,
}

impl Source {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    #[default]
    Cpu,
    /// The numbered CUDA device; needs the feature `cuda`.
    Cuda(usize),
}

/// Of the computation, whatever the stored type. The CPU computes in f32 only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    #[default]
    F32,
    F16,
    Bf16,
}
