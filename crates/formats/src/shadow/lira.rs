//! `lira`: the tree that the LiRA reference code leaves behind, and RMIA's after it.

use std::fs;
use std::path::{Path, PathBuf};

use attacks::signals::membership::MemberRow;
use rayon::prelude::*;

use super::folder;
use super::model_files::{self, ModelFolder, ModelFolders};
use super::registry::Format;
use super::table::ShadowTable;
use crate::Result;

pub(crate) struct Lira;

impl Format for Lira {
    fn name(&self) -> &'static str {
        "lira"
    }

    fn layout(&self) -> &'static str {
        "a folder of experiment-*/ with keep.npy and logits/<epoch>.npy or scores/<epoch>.npy \
         each, and y_train.npy beside them for the logits"
    }

    fn detect(&self, path: &Path) -> bool {
        experiments(path).is_ok_and(|found| !found.is_empty())
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        let experiments = experiments(path)?;
        let members: Vec<MemberRow> = experiments
            .par_iter()
            .map(|experiment| model_files::keep_row(experiment))
            .collect::<Result<_>>()?;
        let mut epochs = Vec::new();
        let models = experiments.iter().map(|experiment| {
            let [logits, scores] = ["logits", "scores"].map(|kind| newest(&experiment.join(kind)));
            epochs.extend(logits.as_ref().or(scores.as_ref()).map(|found| found.0[0]));
            ModelFolder {
                folder: experiment.clone(),
                logits: logits.map(|found| found.1),
                scores: scores.map(|found| found.1),
                right: None,
            }
        });
        ModelFolders {
            format: self.name(),
            top: path.to_owned(),
            models: models.collect(),
            members,
            keep_files: experiments.iter().map(|e| e.join("keep.npy")).collect(),
            notes: uneven(&epochs).into_iter().collect(),
        }
        .read()
    }
}

fn experiments(path: &Path) -> Result<Vec<PathBuf>> {
    folder::folders(path, |name| name.starts_with("experiment"))
}

/// The file of the largest epoch, and of the most augmentations where there are several.
fn newest(folder: &Path) -> Option<([u64; 2], PathBuf)> {
    fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter_map(|file| Some((epoch_and_augmentations(&file)?, file)))
        .max()
}

/// `0000000100.npy`, or `0000000100_0018.npy` where the augmentations are named too.
fn epoch_and_augmentations(file: &Path) -> Option<[u64; 2]> {
    let name = folder::name(file);
    let stem = name.strip_suffix(".npy")?;
    let (epoch, augmentations) = stem.split_once('_').unwrap_or((stem, "0"));
    Some([epoch.parse().ok()?, augmentations.parse().ok()?])
}

fn uneven(epochs: &[u64]) -> Option<String> {
    let (first, last) = (epochs.iter().min()?, epochs.iter().max()?);
    (first != last).then(|| {
        format!(
            "the newest outputs are of epoch {first} in some experiments and of epoch {last} \
             in others; was training interrupted?"
        )
    })
}
