//! Signals as one folder per model: its own keep, and its logits or its scores.

use std::path::{Path, PathBuf};

use attacks::signals::membership::MemberRow;
use attacks::signals::outputs::RightAnswers;
use attacks::signals::shadow::Meaning;
use rayon::prelude::*;

use super::draft::{self, Draft};
use super::keep;
use super::labels;
use super::table::ShadowTable;
use crate::array::{Array, Axes};
use crate::npy;
use crate::{Error, Result};

const LOGITS_SHAPES: &str = "[records, 1, augmentations, classes], \
                             [records, augmentations, classes] or [records, classes]";
const SCORES_SHAPES: &str = "[records, augmentations] or [records]";

/// What was found in one model's folder.
pub(crate) struct ModelFolder {
    pub(crate) folder: PathBuf,
    pub(crate) logits: Option<PathBuf>,
    pub(crate) scores: Option<PathBuf>,
    /// Whether each answer named the true class, beside scores.
    pub(crate) right: Option<PathBuf>,
}

/// What was found in all of them, in the order of the models.
pub(crate) struct ModelFolders {
    pub(crate) format: &'static str,
    pub(crate) top: PathBuf,
    pub(crate) models: Vec<ModelFolder>,
    pub(crate) members: Vec<MemberRow>,
    /// The files that the members were read from.
    pub(crate) keep_files: Vec<PathBuf>,
    pub(crate) notes: Vec<String>,
}

impl ModelFolders {
    pub(crate) fn read(mut self) -> Result<ShadowTable> {
        if self.models.is_empty() {
            return Err(Error::missing("there is no model's folder").at(&self.top));
        }
        let labels = labels_file(&self.top);
        let logits = self.files(|model| model.logits.as_ref());
        match (logits, labels) {
            (Ok(files), Some(labels)) => self.read_logits(&files, labels),
            (logits, labels) => {
                let files = self
                    .files(|model| model.scores.as_ref())
                    .map_err(|folder| self.lacking(folder))?;
                self.notes.push(match (logits, labels) {
                    (Err(folder), Some(_)) => {
                        let folder = folder.display();
                        format!("scores were used because {folder} has no logits")
                    }
                    _ => "scores were used because no labels were found".to_owned(),
                });
                self.read_scores(&files)
            }
        }
    }

    /// The same file of every model, or the first folder that lacks it.
    fn files<'a>(
        &'a self,
        file: impl Fn(&'a ModelFolder) -> Option<&'a PathBuf>,
    ) -> std::result::Result<Vec<PathBuf>, PathBuf> {
        let pick = |model: &'a ModelFolder| file(model).cloned().ok_or(model.folder.clone());
        self.models.iter().map(pick).collect()
    }

    fn lacking(&self, folder: PathBuf) -> Error {
        if self.models.iter().all(|model| model.logits.is_some()) {
            return Error::missing("there are logits but no labels and no scores")
                .at(&self.top)
                .hint("put the true classes into y_train.npy or labels.npy in this folder");
        }
        // Where most have logits, the one without is the one to look at.
        let gap = self
            .models
            .iter()
            .find(|model| model.logits.is_none() && model.scores.is_none());
        let folder = gap.map_or(folder, |model| model.folder.clone());
        unfinished(&folder, "neither logits nor scores that every model has")
    }

    fn read_logits(self, files: &[PathBuf], labels: PathBuf) -> Result<ShadowTable> {
        let arrays = open_all(files, "logits")?;
        let class_last = |rank: usize| Axes {
            augmentation: (rank > 2).then_some(rank - 2),
            class: Some(rank - 1),
            ..Axes::default()
        };
        let shapes = [2, 3, 4].map(|rank| (rank, class_last(rank)));
        let axes = draft::axes_of(&arrays[0], &shapes, LOGITS_SHAPES)?;
        if let [_, copies @ 2..=usize::MAX, _, _] = arrays[0].shape[..] {
            let message = format!("logits has {copies} entries on its second axis");
            return Err(Error::mismatch(message)
                .at(&arrays[0].place.path)
                .hint(format!("wanted {LOGITS_SHAPES}")));
        }
        let (records, classes) = (arrays[0].shape[0], arrays[0].extent(axes.class));
        let (meaning, all_labels) = draft::classes_meaning(&npy::open(&labels)?, records, classes)?;
        let mut draft = self.draft(&arrays, axes, meaning)?;
        draft.labels = Some(all_labels);
        draft.sources.push(labels);
        draft.finish()
    }

    fn read_scores(self, files: &[PathBuf]) -> Result<ShadowTable> {
        let arrays = open_all(files, "scores")?;
        let augmented = Axes {
            augmentation: Some(1),
            ..Axes::default()
        };
        let shapes = [(1, Axes::default()), (2, augmented)];
        let axes = draft::axes_of(&arrays[0], &shapes, SCORES_SHAPES)?;
        let labels = labels_file(&self.top);
        let right = self.files(|model| model.right.as_ref()).ok();
        let right = right.map(|files| right_answers(&files, &arrays[0].shape));
        let mut draft = self.draft(&arrays, axes, Meaning::Phi)?;
        draft.right = right.transpose()?;
        // φ needs no labels; where they lie beside the models, an audit can be sliced by them.
        let read = |path: &PathBuf| labels::read(&npy::open(path)?, arrays[0].shape[0]);
        if let Some((path, Ok(found))) = labels.map(|path| (path.clone(), read(&path))) {
            draft.labels = Some(found);
            draft.sources.push(path);
        }
        draft.finish()
    }

    fn draft(self, arrays: &[Array], axes: Axes, meaning: Meaning) -> Result<Draft> {
        let records = arrays[0].shape[0];
        self.check_members(records)?;
        let planes: Result<Vec<_>> = arrays.iter().map(|array| array.planes(&axes)).collect();
        let outputs = arrays.iter().map(|array| array.place.path.clone());
        Ok(Draft {
            format: self.format,
            places: arrays.iter().map(|array| array.place.clone()).collect(),
            planes: planes?.into_iter().flatten().collect(),
            meaning,
            records,
            augmentations: arrays[0].extent(axes.augmentation),
            members: self.members,
            members_known: true,
            unknown: None,
            ids: None,
            ids_path: None,
            labels: None,
            right: None,
            sources: self.keep_files.into_iter().chain(outputs).collect(),
            notes: self.notes,
        })
    }

    fn check_members(&self, records: usize) -> Result<()> {
        let wrong = |row: &&MemberRow| row.len() != records;
        let Some(model) = self.members.iter().position(|row| wrong(&row)) else {
            return Ok(());
        };
        let there = self.members[model].len();
        let message = format!("keep has {there} records but the outputs have {records}");
        let file = self.keep_files.get(model).or(self.keep_files.first());
        Err(Error::mismatch(message)
            .at(file.unwrap_or(&self.top))
            .hint("every model must be run on the same records; remove the folder that differs"))
    }
}

/// Whether the models' answers were right, in the shape of their scores.
fn right_answers(files: &[PathBuf], shape: &[usize]) -> Result<Vec<RightAnswers>> {
    let augmentations = shape.get(1).copied().unwrap_or(1);
    let read = |file: &PathBuf| {
        let array = npy::open(file)?;
        if array.shape != shape {
            let message = format!("has shape {:?} but the scores have {shape:?}", array.shape);
            return Err(Error::mismatch(message).at(file).hint(
                "it holds one true or false per score; remove the file if it is not of this model",
            ));
        }
        Ok(RightAnswers::new(&keep::flags(&array)?, augmentations))
    };
    files.par_iter().map(read).collect()
}

/// The true classes, where somebody put them.
fn labels_file(top: &Path) -> Option<PathBuf> {
    ["y_train.npy", "labels.npy"]
        .into_iter()
        .map(|name| top.join(name))
        .find(|file| file.is_file())
}

/// One model's keep, or an error that says whose is missing.
pub(crate) fn keep_row(folder: &Path) -> Result<MemberRow> {
    let file = folder.join("keep.npy");
    match file.is_file() {
        true => keep::row(&npy::open(&file)?),
        false => Err(unfinished(folder, "no keep.npy")),
    }
}

pub(crate) fn unfinished(folder: &Path, lacking: &str) -> Error {
    Error::missing(format!("there is {lacking} in this model's folder"))
        .at(folder)
        .hint("if its training did not finish, finish it or remove the folder")
}

/// Maps every file; all must have the shape of the first.
fn open_all(files: &[PathBuf], name: &str) -> Result<Vec<Array>> {
    let open = |file: &PathBuf| {
        let mut array = npy::open(file)?;
        array.place.name = name.to_owned();
        Ok(array)
    };
    let arrays: Vec<Array> = files.par_iter().map(open).collect::<Result<_>>()?;
    match arrays.iter().find(|array| array.shape != arrays[0].shape) {
        None => Ok(arrays),
        Some(other) => {
            let (shape, first) = (&other.shape, &arrays[0]);
            let message = format!(
                "{name} has shape {shape:?} but {} has {:?}",
                first.place.path.display(),
                first.shape
            );
            Err(Error::mismatch(message)
                .at(&other.place.path)
                .hint("every model must be run on the same records in the same way"))
        }
    }
}
