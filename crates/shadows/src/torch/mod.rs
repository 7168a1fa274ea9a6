//! Models of PyTorch: functions of the user's own modules, trained by `guestlist.torch`.
//!
//! Python is asked once what the functions make, and then serves as a program of the user's own does, so that
//! places, retries, logs, executors and everything that is kept are the same.

mod described;
mod settings;

use std::path::{Path, PathBuf};

use base::Progress;
use serde_json::json;

pub use described::{Described, keep, kept};

use self::described::ask;
pub use settings::{Queries, TorchSettings};

use super::command::Program;
use super::command::arguments;
use super::ingredients::Ingredients;
use super::run::REFERENCE_SHARE;
use super::settings::{CommandSettings, DataSettings, Design, OutputKind, Settings};
use super::trainer::{Job, Output, Trainer};
use super::training_data::TrainingData;
use crate::{Error, ErrorKind, Result};

/// Where a run keeps what Python said of the records.
pub fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

/// What `[torch]` and `[data]` name, read.
pub fn open(settings: &Settings, base: &Path) -> Result<Option<(Described, TrainingData)>> {
    let Some(torch) = &settings.torch else {
        return Ok(None);
    };
    if torch.models_per_job == 0 {
        return Err(setting("torch.models_per_job is 0")
            .hint("give how many models one job of a cluster trains, 1 or more"));
    }
    let read = file(settings, torch, base)?;
    let (described, given) = ask(torch, base, read.as_ref(), share(settings))?;
    let subject = given.or(read).ok_or_else(|| {
        setting("[torch] names no records").hint("give torch.dataset, or a file as data.path")
    })?;
    Ok(Some((described, subject)))
}

/// The share of the records that the audited model trains on: half of those that are audited.
fn share(settings: &Settings) -> f64 {
    let aside = match settings.design {
        Design::Online => 0.0,
        Design::Offline => settings.data.reference.unwrap_or(REFERENCE_SHARE),
    };
    0.5 * (1.0 - aside.clamp(0.0, 1.0))
}

/// The data file, where there is one.
fn file(settings: &Settings, torch: &TorchSettings, base: &Path) -> Result<Option<TrainingData>> {
    let data = &settings.data;
    match (&torch.dataset, &data.path) {
        (Some(_), Some(_)) => Err(setting("torch.dataset stands beside data.path")
            .hint("records come from one of them: remove the other")),
        (None, None) => Err(setting("[torch] names no records").hint(
            "give torch.dataset = \"module:function\", a function that returns (inputs, labels) or a \
             Dataset, or a file as data.path",
        )),
        (Some(_), None) if is_of_a_file(data) => {
            Err(setting("[data] has keys of a file beside torch.dataset").hint(
                "duplicates and reference alone mean something there; give whose the records are as \
                 torch.groups",
            ))
        }
        (Some(_), None) => Ok(None),
        (None, Some(_)) if torch.groups.is_some() => {
            Err(setting("torch.groups stands beside data.path")
                .hint("name the column of the file as data.group"))
        }
        (None, Some(_)) => TrainingData::read(data, base).map(Some),
    }
}

/// Whether anything is said that only a data file has.
fn is_of_a_file(data: &DataSettings) -> bool {
    let of_any = DataSettings {
        duplicates: data.duplicates,
        reference: data.reference,
        ..DataSettings::default()
    };
    *data != of_any
}

/// Python as a program that serves.
pub fn command(torch: &TorchSettings, described: &Described, models: usize) -> CommandSettings {
    let places = described.places.unwrap_or_else(super::local::cores);
    CommandSettings {
        run: [&torch.python, "-m", "guestlist.torch", "serve"]
            .map(str::to_owned)
            .into(),
        output: OutputKind::Phi,
        folder: torch.folder.clone(),
        environment: torch.environment.clone(),
        parameters: [
            ("torch".to_owned(), json!(torch)),
            ("described".to_owned(), json!(described)),
        ]
        .into(),
        code: Vec::new(),
        timeout: None,
        retries: torch.retries,
        gpus: described.gpus.clone(),
        models_per_gpu: 1,
        serve: true,
        models_at_once: models.div_ceil(places.max(1)).max(1),
    }
}

/// The Python that was named, found.
fn python(settings: &TorchSettings, folder: &Path) -> Result<PathBuf> {
    arguments::find(&settings.python, folder).map_err(|_| {
        setting(&format!("torch.python: {} is not found", settings.python)).hint(
            "give a Python that is on PATH, or its path with a slash in it, such as .venv/bin/python",
        )
    })
}

/// Trains through `guestlist.torch`.
pub struct Torch<'a> {
    pub program: Program<'a>,
    pub settings: &'a TorchSettings,
    pub described: &'a Described,
}

impl Trainer for Torch<'_> {
    fn about(&self) -> String {
        self.described.about.clone()
    }

    fn ingredients(&self) -> Result<Ingredients> {
        let mut ingredients = Ingredients::default();
        for (name, value) in &self.described.ingredients {
            ingredients.add(name, value);
        }
        for (name, value) in &self.settings.environment {
            ingredients.add(format!("torch.environment.{name}"), value);
        }
        Ok(ingredients)
    }

    fn check(&self, rows: &[u32]) -> Result<()> {
        self.program.check(rows)
    }

    fn workers(&self) -> Option<usize> {
        self.described.places
    }

    fn retries(&self) -> u32 {
        self.settings.retries
    }

    fn code(&self) -> Vec<(PathBuf, String)> {
        self.described.files.clone().into_iter().collect()
    }

    fn models_at_once(&self) -> usize {
        self.program.models_at_once()
    }

    fn enter(&self, worker: Option<usize>) {
        self.program.enter(worker);
    }

    fn leave(&self, worker: Option<usize>, progress: Progress<'_>) {
        self.program.leave(worker, progress);
    }

    fn train(&self, job: &Job, progress: Progress<'_>) -> Result<Output> {
        self.program.train(job, progress)
    }
}

fn setting(message: &str) -> Error {
    Error::new(ErrorKind::Setting, message)
}
