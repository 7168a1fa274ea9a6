//! What can train a model: our own trainer, or the user's program.

use base::Progress;
use std::path::{Path, PathBuf};

use attacks::signals::membership::MemberRow;

use super::ingredients::Ingredients;
use crate::Result;

/// One model to train.
pub struct Job<'a> {
    pub model: usize,
    pub keep: &'a MemberRow,
    /// The records to train on, in ascending order.
    pub rows: &'a [u32],
    /// The model's own.
    pub seed: u64,
    /// Which worker trains it, from 0; absent where somebody else shares out the devices.
    pub worker: Option<usize>,
    /// Cores that it may use.
    pub threads: usize,
    /// From 1.
    pub attempt: u32,
    /// A folder of its own, for whatever training needs on disk; it goes afterwards.
    pub scratch: &'a Path,
    /// Where the words of the training program go.
    pub log: &'a Path,
}

/// What training leaves behind.
pub struct Output {
    /// φ [records, augmentations], a record's augmentations side by side.
    pub phi: Vec<f32>,
    pub augmentations: usize,
    /// Whether each answer named the true class, in the order of φ; absent where that is not known.
    pub right: Option<Vec<bool>>,
    /// Further files for the model's folder, by name.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

/// Trains models, many at once.
pub trait Trainer: Sync {
    /// For people, in a line.
    fn about(&self) -> String;

    /// What decides the outcome beside the data and the split.
    fn ingredients(&self) -> Result<Ingredients>;

    /// Checks everything that can be checked before the first model is trained.
    fn check(&self, rows: &[u32]) -> Result<()>;

    /// How many models it wants to train at once; as many as there are cores by default.
    fn workers(&self) -> Option<usize> {
        None
    }

    /// How often a model that failed is tried again.
    fn retries(&self) -> u32 {
        0
    }

    /// Seconds that one model takes on one worker, measured on a small part of the work.
    fn seconds(&self, _rows: &[u32]) -> Option<f64> {
        None
    }

    /// What became of the trainer itself since the run began, in words; nothing if it is what it
    /// was.
    fn change(&self) -> Option<String> {
        None
    }

    /// The files that it consists of, as far as they are the user's, where nodes elsewhere are sent them.
    fn files(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// The user's files that say what it does, by their digests as the run began.
    fn code(&self) -> Vec<(PathBuf, String)> {
        Vec::new()
    }

    /// How many models one worker takes at once.
    fn models_at_once(&self) -> usize {
        1
    }

    /// Somebody will train for this worker until they leave it.
    fn enter(&self, _worker: Option<usize>) {}

    /// Somebody has no more models for this worker: what was kept running ends with the last.
    fn leave(&self, _worker: Option<usize>, _progress: Progress<'_>) {}

    fn train(&self, job: &Job, progress: Progress<'_>) -> Result<Output>;
}
