//! `lira-pytorch`: one folder per model with its arrays directly inside.

use std::path::{Path, PathBuf};

use attacks::signals::membership::MemberRow;
use rayon::prelude::*;

use super::folder;
use super::model_files::{self, ModelFolder, ModelFolders};
use super::registry::Format;
use super::table::ShadowTable;
use crate::Result;

pub(crate) struct LiraPytorch;

impl Format for LiraPytorch {
    fn name(&self) -> &'static str {
        "lira-pytorch"
    }

    fn layout(&self) -> &'static str {
        "a folder with one folder per model, each with keep.npy and scores.npy, or logits.npy \
         where labels.npy lies beside the folders"
    }

    fn detect(&self, path: &Path) -> bool {
        let finished = |folder: &PathBuf| {
            has(folder, "keep.npy") && (has(folder, "logits.npy") || has(folder, "scores.npy"))
        };
        models(path).is_ok_and(|found| found.iter().any(finished))
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        read_models(self.name(), path, models(path)?)
    }
}

/// Reads these models' folders, in this order.
pub(crate) fn read_models(
    format: &'static str,
    top: &Path,
    folders: Vec<PathBuf>,
) -> Result<ShadowTable> {
    let members: Vec<MemberRow> = folders
        .par_iter()
        .map(|folder| model_files::keep_row(folder))
        .collect::<Result<_>>()?;
    let model = |folder: &PathBuf| ModelFolder {
        folder: folder.clone(),
        logits: file(folder, "logits.npy"),
        scores: file(folder, "scores.npy"),
        right: file(folder, "right.npy"),
    };
    ModelFolders {
        format,
        top: top.to_owned(),
        models: folders.iter().map(model).collect(),
        members,
        keep_files: folders.iter().map(|f| f.join("keep.npy")).collect(),
        notes: Vec::new(),
    }
    .read()
}

/// A folder is a model's when anything of a model is in it, finished or not.
fn models(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = folder::folders(path, |_| true)?;
    let of_a_model = ["keep.npy", "logits.npy", "scores.npy", "model.pt"];
    found.retain(|folder| of_a_model.iter().any(|name| has(folder, name)));
    Ok(found)
}

fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).is_file()
}

fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    has(folder, name).then(|| folder.join(name))
}
