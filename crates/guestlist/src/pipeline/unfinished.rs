//! A run that stopped: some of the models of its plan are not there, and the others keep their numbers.

use std::path::{Path, PathBuf};

use formats::shadow::ShadowTable;
use serde_json::Value;

use crate::{Error, Result};
use report::Note;

/// So many models are named, the others counted.
const NAMED: usize = 6;

/// The models of a run's plan, some of which are not there.
pub struct Unfinished {
    folder: PathBuf,
    planned: usize,
    there: Vec<usize>,
}

impl Unfinished {
    /// Of the folder `models` beside the plan of a run; nothing of other folders, and where all models are there.
    pub fn of(models: &Path) -> Option<Self> {
        let folder = models.parent()?;
        let text = std::fs::read_to_string(folder.join("plan.json")).ok()?;
        let plan: Value = serde_json::from_str(&text).ok()?;
        // The audited model is none of the shadows.
        let planned = usize::try_from(plan["settings"]["shadows"].as_u64()?).ok()? + 1;
        let there = |model: &usize| {
            models
                .join(format!("{model:05}"))
                .join("keep.npy")
                .is_file()
        };
        let there: Vec<usize> = (0..planned).filter(there).collect();
        (there.len() < planned).then(|| Self {
            folder: folder.to_owned(),
            planned,
            there,
        })
    }

    /// Has the models of a table keep the numbers of the plan.
    pub fn number(&self, table: &mut ShadowTable) {
        table.numbers = (table.models() == self.there.len()).then(|| self.there.clone());
    }

    /// The place of the target among the models that are there.
    pub fn place(&self, target: usize) -> Result<usize> {
        let place = self.there.iter().position(|&model| model == target);
        match place {
            Some(place) => Ok(place),
            // What is in no plan is refused as in any other signals.
            None if target >= self.planned => Ok(target),
            None => Err(
                Error::missing(format!("model {target}, the target, is not trained yet"))
                    .at(&self.folder)
                    .hint(
                        "`guestlist run` of the configuration trains what is missing; or name a model \
                         that is there with --target",
                    ),
            ),
        }
    }

    pub fn note(&self) -> Note {
        let missing = (0..self.planned).filter(|model| !self.there.contains(model));
        let missing: Vec<String> = missing.map(|model| model.to_string()).collect();
        let named = missing[..missing.len().min(NAMED)].join(", ");
        let others = match missing.len().saturating_sub(NAMED) {
            0 => String::new(),
            others => format!(" and {others} others"),
        };
        format!(
            "the run is not finished: {} of its {} planned models are missing ({named}{others}); the others keep their \
             numbers, and `guestlist run` trains the rest",
            missing.len(),
            self.planned
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn run(there: &[usize]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let plan = r#"{"settings": {"shadows": 8}}"#;
        fs::write(folder.path().join("plan.json"), plan).unwrap();
        for model in there {
            let model = folder.path().join(format!("models/{model:05}"));
            fs::create_dir_all(&model).unwrap();
            fs::write(model.join("keep.npy"), "").unwrap();
        }
        folder
    }

    #[test]
    fn models_that_are_there_keep_their_numbers() {
        let folder = run(&[1, 2, 5, 8]);
        let unfinished = Unfinished::of(&folder.path().join("models")).unwrap();
        assert_eq!(unfinished.place(5).unwrap(), 2);
        assert_eq!(unfinished.place(9).unwrap(), 9);
        let said = unfinished.place(0).unwrap_err().to_string();
        assert!(
            said.contains("model 0, the target, is not trained yet"),
            "{said}"
        );
        let note = unfinished.note();
        assert!(
            note.contains("5 of its 9 planned models are missing (0, 3, 4, 6, 7)"),
            "{note}"
        );
    }

    #[test]
    fn finished_runs_and_other_folders_are_left_alone() {
        let folder = run(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert!(Unfinished::of(&folder.path().join("models")).is_none());
        fs::remove_file(folder.path().join("plan.json")).unwrap();
        assert!(Unfinished::of(&folder.path().join("models")).is_none());
    }
}
