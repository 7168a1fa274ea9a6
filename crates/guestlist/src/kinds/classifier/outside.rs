//! An audit whose models are trained by the program that calls: it asks what is missing, hands over every
//! model as soon as it is trained, and has the report at the end. Nothing that was handed over is lost.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use base::Progress;
use serde::Deserialize;
use shadows::settings::{DataSettings, Duplicates, ExternalSettings, Settings};
use shadows::{Handed, Models, Prepared, TrainingData, TrainingInputs};

use super::{Classifier, Config, ModelSettings, Plan, RunSettings, training};
use crate::Result;
use crate::pipeline::{AuditOptions, Finished, OutFolder, Place, RunOptions, conclude};

/// What a program asks for that trains models itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutsideRequest {
    pub audit: AuditOptions,
    #[serde(default)]
    pub seed: u64,
    pub shadows: usize,
    /// Where models and results go.
    pub folder: PathBuf,
    #[serde(default)]
    pub duplicates: Duplicates,
    /// The function that trains, for messages.
    pub by: String,
    /// How models are trained, in a line.
    pub about: String,
    /// What decides them beside data, split and seed.
    pub ingredients: BTreeMap<String, String>,
    /// What gives this report again.
    pub command: String,
    pub date: Option<String>,
}

/// An audit under way.
pub struct OutsideSession {
    plan: Plan,
    options: RunOptions,
    out: OutFolder,
    models: Models,
    /// Keeps other runs out of the folder.
    lock: File,
}

/// What a session begins with.
pub struct Begun {
    pub session: OutsideSession,
    /// Models that are left to train.
    pub open: Vec<usize>,
    /// What happened to models that were there.
    pub notes: Vec<String>,
}

impl OutsideSession {
    /// Checks everything, readies the folder, and says what is left to train.
    pub fn begin(request: OutsideRequest, subject: TrainingData) -> Result<Begun> {
        let options = RunOptions {
            command: Some(request.command.clone()),
            date: request.date.clone(),
            extras: vec![crate::pipeline::Extra::Markdown],
            ..RunOptions::default()
        };
        let plan = plan(request, subject, &options)?;
        let out = OutFolder::prepare(&plan.folder())?;
        let run = plan.run()?;
        let lock = run.store().lock()?;
        let mut notes: Vec<String> = training::stale(&run).into_iter().collect();
        let Prepared { open, returned } = run.prepare()?;
        notes.extend(training::returned(returned));
        let models = run.outside();
        drop(run);
        Ok(Begun {
            session: Self {
                plan,
                options,
                out,
                models,
                lock,
            },
            open,
            notes,
        })
    }

    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Keeps a trained model.
    pub fn commit(&self, handed: &Handed) -> Result<()> {
        self.models.commit(handed, self.plan.training.subject())
    }

    /// Attacks, judges and writes, once every model is there.
    pub fn finish(self, progress: Progress<'_>) -> Result<Finished> {
        let run = self.plan.run()?;
        let place = &self.plan.place.path;
        let signals = {
            let command = self.options.command_for(place);
            self.plan.request(&run, command, Vec::new())?
        };
        let (extras, date) = (&self.options.extras, self.options.date.as_deref());
        let finished = conclude::<Classifier>(signals, Some(self.out), extras, date, progress)?;
        drop(self.lock);
        Ok(finished)
    }
}

fn plan(request: OutsideRequest, subject: TrainingData, options: &RunOptions) -> Result<Plan> {
    let group = subject.people.as_ref().map(|_| "groups".to_owned());
    let config = Config {
        kind: report::Kind::Classifier,
        seed: request.seed,
        data: DataSettings {
            group,
            duplicates: request.duplicates,
            ..DataSettings::default()
        },
        models: ModelSettings {
            shadows: request.shadows,
            ..ModelSettings::default()
        },
        training: None,
        command: None,
        torch: None,
        run: RunSettings {
            folder: request.folder,
            ..RunSettings::default()
        },
        slurm: shadows::SlurmSettings::default(),
        ray: shadows::RaySettings::default(),
        kubernetes: shadows::KubernetesSettings::default(),
        claim: request.audit.claim,
        audit: request.audit,
    };
    let settings = Settings {
        training: None,
        external: Some(ExternalSettings {
            by: request.by,
            about: request.about,
            ingredients: request.ingredients,
        }),
        ..config.settings()
    };
    let place = Place {
        path: PathBuf::new(),
        base: PathBuf::from("."),
        configuration: None,
    };
    let training = TrainingInputs::given(settings, &place.base, subject)?;
    Plan::with(config, place, options, training)
}
