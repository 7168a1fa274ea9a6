//! `plan.json`: what a run agreed on, for workers that start elsewhere and later.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::ingredients::Ingredients;
use super::run::{Run, TrainingInputs};
use super::settings::Settings;
use crate::{Error, ErrorKind, Result};
use formats::files;

const SCHEMA: &str = "guestlist.plan/1";

/// The document.
#[derive(Serialize, Deserialize)]
struct Plan {
    schema: String,
    /// Where paths in the settings start, from the plan's own folder.
    base: PathBuf,
    settings: Settings,
    ingredients: Ingredients,
}

/// Writes the plan of a run into its folder.
pub(super) fn write(run: &Run) -> Result<()> {
    let text = text(run, from(run.store().path(), &run.training.base))?;
    files::write(&run.store().plan(), text.as_bytes())
}

/// The plan of a run whose paths start from elsewhere.
pub(super) fn text(run: &Run, base: PathBuf) -> Result<String> {
    let plan = Plan {
        schema: SCHEMA.into(),
        base,
        settings: run.training.settings().clone(),
        ingredients: run.shared.clone(),
    };
    let text = serde_json::to_string_pretty(&plan)
        .map_err(|error| Error::new(ErrorKind::Write, error.to_string()))?;
    Ok(text + "\n")
}

/// A plan, read by a worker: the settings and the data they name, the run's folder, and what was
/// agreed when the plan was made.
pub struct Planned {
    pub training: TrainingInputs,
    folder: PathBuf,
    ingredients: Ingredients,
}

impl Planned {
    /// `path` is the plan or the folder that holds it.
    pub fn read(path: &Path) -> Result<Self> {
        let path = match path.is_dir() {
            true => path.join("plan.json"),
            false => path.to_owned(),
        };
        let text = std::fs::read_to_string(&path).map_err(|e| Error::reading(&path, &e))?;
        let mut plan: Plan = serde_json::from_str(&text).map_err(|error| {
            Error::malformed(format!("is not a plan: {error}"))
                .at(&path)
                .hint("`guestlist run` writes plan.json into its folder")
        })?;
        if plan.schema != SCHEMA {
            return Err(
                Error::unsupported(format!("is a plan of schema {}", plan.schema))
                    .at(&path)
                    .hint(format!(
                        "this version reads {SCHEMA}: run with the same version everywhere"
                    )),
            );
        }
        if let Some(command) = &mut plan.settings.command {
            // Whoever starts workers elsewhere shares out the devices there.
            command.gpus.clear();
        }
        if let Some(described) = &mut plan.settings.described {
            (described.gpus, described.places) = (Vec::new(), Some(1));
        }
        let folder = path.parent().unwrap_or(Path::new(".")).to_owned();
        Ok(Self {
            training: TrainingInputs::planned(plan.settings, &folder.join(&plan.base), &folder)?,
            folder,
            ingredients: plan.ingredients,
        })
    }

    /// The run, if nothing changed since the plan was made.
    pub fn run(&self) -> Result<Run<'_>> {
        let run = Run::new(&self.training, &self.folder)?;
        match self.ingredients.difference(&run.shared) {
            None => Ok(run),
            Some(difference) => Err(Error::mismatch(format!(
                "since the plan was made, {difference}"
            ))
            .at(&run.store().plan())
            .hint("start `guestlist run` again: it makes a new plan")),
        }
    }
}

/// The way from a folder to one that it lies in, so that both can be moved together; else where
/// that one lies.
fn from(folder: &Path, base: &Path) -> PathBuf {
    match folder.strip_prefix(base) {
        Ok(inside) => inside.components().map(|_| "..").collect(),
        Err(_) => base.to_owned(),
    }
}
