//! `slurm`: models are trained by the nodes of a cluster, as job arrays.
//!
//! What is under way is told by Slurm itself, by the arrays' names.

mod client;
mod ending;
mod queue;
mod script;

#[cfg(test)]
pub use self::ending::accounts;

use base::Progress;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::client::Client;
use super::cluster::jobs::Jobs;
use super::cluster::{Campaign, PollPolicy, poll};
use super::executor::{Executor, ExecutorOptions, Failure};
use super::run::Run;
use super::settings::Settings;
use super::store::State;
use crate::{Error, ErrorKind, Result};

/// What to ask of the cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SlurmSettings {
    pub partition: Option<String>,
    pub account: Option<String>,
    /// The time limit of one model, as Slurm writes it.
    pub time: Option<String>,
    /// Memory of one model, as Slurm writes it.
    pub memory: Option<String>,
    /// Cores of one model.
    pub cores: usize,
    /// GPUs of one task, which `command.models_per_gpu` models share.
    pub gpus: Option<usize>,
    /// Devices of one task, as in `--gres`, where a number of GPUs does not say it.
    pub gres: Option<String>,
    /// Tasks under way at once, of each array of up to 1000.
    pub at_once: Option<usize>,
    /// Further options of sbatch.
    pub options: Vec<String>,
    /// Lines of shell that ready a node, such as `module load`.
    pub setup: Vec<String>,
    /// How often a model that failed is submitted again.
    pub retries: u32,
    /// Seconds between two looks at the queue.
    pub poll: f64,
}

impl Default for SlurmSettings {
    fn default() -> Self {
        Self {
            partition: None,
            account: None,
            time: None,
            memory: None,
            cores: 1,
            gpus: None,
            gres: None,
            at_once: None,
            options: Vec::new(),
            setup: Vec::new(),
            retries: 2,
            poll: 10.0,
        }
    }
}

/// Accounts trail what happened.
const SETTLING: Duration = Duration::from_secs(5);
/// A shared file system may show new files late.
const LAG: Duration = Duration::from_secs(90);

pub struct Slurm;

impl Executor for Slurm {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn about(&self) -> &'static str {
        "on a cluster, as Slurm job arrays"
    }

    /// Without a limit it is the cluster's own affair.
    fn at_once(&self, run: &Run, executor_options: &ExecutorOptions) -> Option<usize> {
        let each = jobs(run, &executor_options.slurm).models_per_job;
        let at_once = executor_options.slurm.at_once;
        at_once.map(|tasks| tasks.saturating_mul(each))
    }

    fn check(&self, executor_options: &ExecutorOptions, _settings: &Settings) -> Result<()> {
        let slurm = &executor_options.slurm;
        poll("slurm", slurm.poll)?;
        if slurm.cores == 0 || slurm.at_once == Some(0) || slurm.gpus == Some(0) {
            return Err(Error::new(
                ErrorKind::Setting,
                "slurm.cores, slurm.gpus and slurm.at_once are at least 1",
            ));
        }
        if slurm.gpus.is_some() && slurm.gres.is_some() {
            return Err(Error::new(
                ErrorKind::Setting,
                "slurm.gpus and slurm.gres are both there",
            )
            .hint("gpus = 2 is gres = \"gpu:2\": keep one of them"));
        }
        client::check()
    }

    fn train(
        &self,
        run: &Run,
        models: &[usize],
        executor_options: &ExecutorOptions,
        progress: Progress<'_>,
    ) -> Result<Vec<Failure>> {
        let slurm = &executor_options.slurm;
        let client = Client::new(run.store().path(), jobs(run, slurm), executor_options)?;
        let is_done = |model| run.state(model) == State::Done;
        Campaign::new(&client, run.store(), models, &is_done, progress)
            .polling(PollPolicy {
                poll: poll("slurm", slurm.poll)?,
                settling: SETTLING,
                lag: LAG,
            })
            .retrying(slurm.retries)
            .provided(&|| run.check_unchanged())
            .fight()
    }
}

fn jobs(run: &Run, slurm: &SlurmSettings) -> Jobs {
    Jobs::new(run.settings(), slurm.gpus.is_some() || slurm.gres.is_some())
}
