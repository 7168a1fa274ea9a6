//! Token signals of the small language model that was fine-tuned on speeches.

use std::path::{Path, PathBuf};

use base::Progress;
use guestlist::Error;
use guestlist::pipeline::{self, RunOptions};

/// Has both models read the texts in a folder, or what is missing there. The folder of the run comes back.
pub fn speech_signals(folder: &Path, seed: u64, progress: Progress<'_>) -> Result<PathBuf, Error> {
    let config = super::language_model(folder, seed)?;
    pipeline::collect(&config, &RunOptions::default(), progress)?;
    Ok(folder.to_owned())
}
