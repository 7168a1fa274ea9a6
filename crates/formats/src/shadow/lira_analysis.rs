//! `lira-analysis`: one keep matrix for all models, and a folder of outputs per model.

use std::path::{Path, PathBuf};

use super::keep;
use super::model_files::{self, ModelFolder, ModelFolders};
use super::registry::Format;
use super::table::ShadowTable;
use crate::Result;
use crate::npy;

pub(crate) struct LiraAnalysis;

impl Format for LiraAnalysis {
    fn name(&self) -> &'static str {
        "lira-analysis"
    }

    fn layout(&self) -> &'static str {
        "a folder with keep_indices.npy [models, records] and model_<i>/scores/scores.npy, or \
         model_<i>/logits/logits.npy where labels.npy lies beside them"
    }

    fn detect(&self, path: &Path) -> bool {
        path.join("keep_indices.npy").is_file()
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        let keep_file = path.join("keep_indices.npy");
        let members = keep::rows(&npy::open(&keep_file)?)?;
        let models = (0..members.len()).map(|model| model_folder(path, model));
        ModelFolders {
            format: self.name(),
            top: path.to_owned(),
            models: models.collect::<Result<_>>()?,
            members,
            keep_files: vec![keep_file],
            notes: Vec::new(),
        }
        .read()
    }
}

fn model_folder(path: &Path, model: usize) -> Result<ModelFolder> {
    let folder = path.join(format!("model_{model}"));
    let file = |kind: &str| -> Option<PathBuf> {
        let file = folder.join(kind).join(format!("{kind}.npy"));
        file.is_file().then_some(file)
    };
    let (logits, scores) = (file("logits"), file("scores"));
    if logits.is_none() && scores.is_none() {
        let lacking = "neither logits/logits.npy nor scores/scores.npy";
        return Err(model_files::unfinished(&folder, lacking));
    }
    Ok(ModelFolder {
        folder,
        logits,
        scores,
        right: None,
    })
}
