//! `[torch]`: functions of the user's own modules, by name.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What `guestlist.torch` trains, and how. Functions are named `module:function`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TorchSettings {
    /// Gives a fresh model.
    pub model: String,
    /// Gives the records; not with a data file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset: Option<String>,
    /// Gives whose each record is; not with a data file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<usize>,
    /// From a model's parameters to an optimizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimizer: Option<String>,
    /// `constant`, `cosine`, `triangle`, or a function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// Changes a batch at random.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub augment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<String>,
    /// The user's own loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub train: Option<String>,
    #[serde(default)]
    pub queries: Queries,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<String>,
    /// All GPUs or all cores where none is named.
    #[serde(default)]
    pub devices: Vec<String>,
    /// How many models one job of a cluster trains, one after another.
    #[serde(default = "one_model")]
    pub models_per_job: usize,
    /// The Python that has `guestlist` and `torch`.
    #[serde(default = "python")]
    pub python: String,
    /// Where modules are looked for and Python runs; the configuration's folder by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    /// Variables set for it; `${NAME}` takes the value from guestlist's own environment.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// How often a model that failed is tried again.
    #[serde(default = "one")]
    pub retries: u32,
}

/// In how many ways a record is asked about, or by which functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "torch.queries is a number such as 2, or a list of functions such as [\"train:as_it_is\"]"
)]
pub enum Queries {
    Number(usize),
    Named(Vec<String>),
}

impl Default for Queries {
    fn default() -> Self {
        Self::Number(1)
    }
}

fn python() -> String {
    "python3".into()
}

fn one() -> u32 {
    1
}

fn one_model() -> usize {
    1
}
