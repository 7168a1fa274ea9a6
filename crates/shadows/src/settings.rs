//! What a user says about the models to train, as it stands in the configuration and in the plan
//! that workers read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};
use formats::data::Decimal;

pub use super::torch::{Described, Queries, TorchSettings};

/// Everything that decides which models are trained and how.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Root of every split and of every model's own seed.
    pub seed: u64,
    /// Models beside the audited one.
    pub shadows: usize,
    /// Whose records the shadows train on.
    #[serde(default, skip_serializing_if = "Design::is_online")]
    pub design: Design,
    pub data: DataSettings,
    /// How our own trainer trains; the only one of three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub training: Option<TrainingSettings>,
    /// How the user's own program trains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandSettings>,
    /// Functions of the user's own modules that `guestlist.torch` trains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torch: Option<TorchSettings>,
    /// What Python said of them; in no configuration, but in plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub described: Option<Described>,
    /// Models that a program trains which calls us; in no configuration, but in plans.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalSettings>,
}

/// Which records the shadows train on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// Halves of the audited records.
    #[default]
    Online,
    /// Halves of reference records that are set aside: no shadow trains on an audited record.
    Offline,
}

impl Design {
    pub fn is_online(&self) -> bool {
        *self == Design::Online
    }
}

/// Somebody outside who trains models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalSettings {
    /// The function that trains, for messages.
    pub by: String,
    /// How models are trained, for people, in a line.
    pub about: String,
    /// What decides them beside data, split and seed.
    pub ingredients: BTreeMap<String, String>,
}

/// The records that models train on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataSettings {
    /// A CSV, Parquet, npz or idx file.
    pub path: Option<PathBuf>,
    /// The column to predict.
    pub label: Option<String>,
    /// The column that names the records.
    pub id: Option<String>,
    pub ignore: Vec<String>,
    pub categories: Vec<String>,
    pub numbers: Vec<String>,
    /// Texts that mean that a value is missing, instead of the usual ones.
    pub missing: Option<Vec<String>>,
    /// Whether the first row of a CSV names the columns.
    pub header: Option<bool>,
    /// What stands before the fraction of a number that is written as text.
    pub decimal: Decimal,
    /// The column that says whose a record is: people are in a half as a whole, and it is never learned
    /// from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// How records with equal features and label are split.
    pub duplicates: Duplicates,
    /// The share of the records that is set aside as reference records, in an offline design.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<f64>,
    /// How many records the user's own program trains on, where no file is read here.
    pub records: Option<usize>,
    /// A .npy of class numbers, one per record, for the same case.
    pub labels: Option<PathBuf>,
}

/// Where the copies of a record go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    /// Into the same half, as one unit.
    #[default]
    Together,
    /// Each for itself.
    Apart,
}

/// The native trainer's settings, by the names users know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrainingSettings {
    pub hidden: Vec<usize>,
    pub activation: ActivationName,
    pub epochs: u32,
    pub batch_size: usize,
    pub optimiser: OptimiserName,
    pub learning_rate: f64,
    pub momentum: f64,
    pub nesterov: bool,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    pub weight_decay: f64,
    pub dropout: f64,
    pub label_smoothing: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip_norm: Option<f64>,
    pub schedule: ScheduleSettings,
    pub class_weights: ClassWeightSettings,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub early_stop: Option<EarlyStopSettings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub privacy: Option<PrivacySettings>,
}

impl Default for TrainingSettings {
    fn default() -> Self {
        Self {
            hidden: vec![128, 64],
            activation: ActivationName::Relu,
            epochs: 30,
            batch_size: 64,
            optimiser: OptimiserName::Adam,
            learning_rate: 1e-3,
            momentum: 0.9,
            nesterov: false,
            beta1: 0.9,
            beta2: 0.999,
            epsilon: 1e-8,
            weight_decay: 0.0,
            dropout: 0.0,
            label_smoothing: 0.0,
            clip_norm: None,
            schedule: ScheduleSettings::default(),
            class_weights: ClassWeightSettings::default(),
            early_stop: None,
            privacy: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationName {
    Relu,
    Tanh,
    Gelu,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptimiserName {
    Sgd,
    Adam,
    #[serde(alias = "adam-w")]
    Adamw,
}

/// Also the kinds without settings of their own are written as if they had some: else they would
/// take any key.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum ScheduleSettings {
    Constant {},
    Step { every: u32, factor: f64 },
    Cosine {},
    WarmUpCosine { epochs: u32 },
}

impl Default for ScheduleSettings {
    fn default() -> Self {
        Self::Constant {}
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "training.class_weights is none, balanced, or a list of one number per class"
)]
pub enum ClassWeightSettings {
    Named(ClassWeightName),
    Given(Vec<f32>),
}

impl Default for ClassWeightSettings {
    fn default() -> Self {
        Self::Named(ClassWeightName::None)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassWeightName {
    None,
    Balanced,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyStopSettings {
    pub held_out: f64,
    pub patience: u32,
}

/// DP-SGD: either the ε to stay within, or the noise itself.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrivacySettings {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_multiplier: Option<f64>,
    #[serde(default = "one_in_hundred_thousand")]
    pub delta: f64,
    #[serde(default = "one")]
    pub clip_norm: f64,
}

fn one_in_hundred_thousand() -> f64 {
    1e-5
}

fn one() -> f64 {
    1.0
}

/// The user's own training program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandSettings {
    /// Program and arguments; `{job}`, `{rows}`, `{output}`, `{seed}` and `{model}` are filled in.
    pub run: Vec<String>,
    #[serde(default)]
    pub output: OutputKind,
    /// Where it runs; the configuration's folder by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Variables set for it; `${NAME}` takes the value from guestlist's own environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Handed over in the job file as they are.
    #[serde(default)]
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// Files and folders whose change makes trained models stale, beside those in `run`.
    #[serde(default)]
    pub code: Vec<PathBuf>,
    /// Seconds that one model may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// How often a model that failed is tried again.
    #[serde(default = "one_retry")]
    pub retries: u32,
    /// Devices to share out; each worker sees one in `CUDA_VISIBLE_DEVICES`.
    #[serde(default)]
    pub gpus: Vec<String>,
    #[serde(default = "one_model")]
    pub models_per_gpu: usize,
    /// Whether it is started once per worker and reads one job after another.
    #[serde(default)]
    pub serve: bool,
    /// How many jobs one worker has before it answers, where it serves.
    #[serde(default = "one_model")]
    pub models_at_once: usize,
}

impl Settings {
    /// Models are trained by one trainer.
    pub fn check_trainers(&self) -> Result<()> {
        let named = [
            ("[training]", self.training.is_some()),
            ("[command]", self.command.is_some()),
            ("[torch]", self.torch.is_some()),
        ];
        let named: Vec<&str> = named
            .iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| *name)
            .collect();
        match named.len() {
            0 | 1 => Ok(()),
            _ => Err(Error::new(
                ErrorKind::Setting,
                format!("{} are both there", named[..2].join(" and ")),
            )
            .hint("models are trained by one of them: remove the other")),
        }
    }

    /// Whether somebody else's program trains, which reads data and code by itself.
    pub fn by_program(&self) -> bool {
        self.command.is_some() || self.torch.is_some()
    }
}

impl CommandSettings {
    /// How many models the devices take at once; nothing where none are named.
    pub fn places(&self) -> Option<usize> {
        match self.gpus.len() {
            0 => None,
            gpus => Some(gpus.saturating_mul(self.models_per_gpu)),
        }
    }
}

fn one_retry() -> u32 {
    1
}

fn one_model() -> usize {
    1
}

/// What the numbers in the output file are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutputKind {
    /// [records, classes] or [records, augmentations, classes].
    #[default]
    Logits,
    /// The same axes as logits.
    Probabilities,
    /// The rescaled logit of the true class: [records] or [records, augmentations].
    Phi,
}
