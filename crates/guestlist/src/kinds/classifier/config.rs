//! `guestlist.toml` of kind classifier, as it is written.

use std::path::PathBuf;

use serde::Deserialize;
use shadows::settings::{
    CommandSettings, DataSettings, Design, Settings, TorchSettings, TrainingSettings,
};
use shadows::{KubernetesSettings, RaySettings, SlurmSettings};

use crate::pipeline::{AuditOptions, ClaimSettings};

/// The configuration of an audit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub kind: report::Kind,
    #[serde(default)]
    pub seed: u64,
    #[serde(default)]
    pub data: DataSettings,
    #[serde(default)]
    pub models: ModelSettings,
    pub training: Option<TrainingSettings>,
    pub command: Option<CommandSettings>,
    pub torch: Option<TorchSettings>,
    #[serde(default)]
    pub run: RunSettings,
    #[serde(default)]
    pub slurm: SlurmSettings,
    #[serde(default)]
    pub ray: RaySettings,
    #[serde(default)]
    pub kubernetes: KubernetesSettings,
    #[serde(default)]
    pub audit: AuditOptions,
    /// The ε that is claimed of the audited model.
    pub claim: Option<ClaimSettings>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSettings {
    pub shadows: usize,
    /// Whether shadows train on audited records, or on reference records alone.
    pub design: Design,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            shadows: 64,
            design: Design::default(),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSettings {
    /// Where models and results go.
    pub folder: PathBuf,
    pub executor: String,
    /// Models trained at once on this machine.
    pub workers: Option<usize>,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            folder: "guestlist-run".into(),
            executor: "local".into(),
            workers: None,
        }
    }
}

impl Config {
    /// What says whose a record is: a column of the data file, or a function.
    pub fn group(&self) -> Option<&str> {
        let torch = self.torch.as_ref();
        let function = torch.and_then(|torch| torch.groups.as_ref());
        self.data.group.as_ref().or(function).map(String::as_str)
    }

    /// What decides the models. Our own trainer trains where no other is named.
    pub fn settings(&self) -> Settings {
        let Config {
            seed,
            data,
            models,
            training,
            command,
            torch,
            ..
        } = self;
        let training = match (training, command, torch) {
            (None, None, None) => Some(TrainingSettings::default()),
            _ => training.clone(),
        };
        Settings {
            seed: *seed,
            shadows: models.shadows,
            design: models.design,
            data: data.clone(),
            training,
            command: command.clone(),
            torch: torch.clone(),
            described: None,
            external: None,
        }
    }
}
