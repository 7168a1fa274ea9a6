//! `slurm`: models are trained by the nodes of a cluster, as job arrays.
//!
//! What is finished is told by the run's folder, which the nodes share; what is under way is told
//! by Slurm itself, by the arrays' names. Nothing else is remembered, so that this process may
//! die at any time: the next one finds the same arrays and waits for them.

mod campaign;
mod client;
mod ending;
mod queue;
mod script;

use base::Progress;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::campaign::Campaign;
use self::client::Client;
use super::executor::{Executor, ExecutorOptions, Failure};
use super::process::seconds;
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
    /// Devices of one model, as in `--gres`.
    pub gres: Option<String>,
    /// Models under way at once, of each array of up to 1000.
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
            gres: None,
            at_once: None,
            options: Vec::new(),
            setup: Vec::new(),
            retries: 2,
            poll: 10.0,
        }
    }
}

pub struct Slurm;

impl Executor for Slurm {
    fn name(&self) -> &'static str {
        "slurm"
    }

    fn about(&self) -> &'static str {
        "on a cluster, as Slurm job arrays"
    }

    /// Without a limit it is the cluster's own affair.
    fn at_once(&self, _run: &Run, executor_options: &ExecutorOptions) -> Option<usize> {
        executor_options.slurm.at_once
    }

    fn check(&self, executor_options: &ExecutorOptions, _settings: &Settings) -> Result<()> {
        poll(&executor_options.slurm)?;
        if executor_options.slurm.cores == 0 || executor_options.slurm.at_once == Some(0) {
            return Err(Error::new(
                ErrorKind::Setting,
                "slurm.cores and slurm.at_once are at least 1",
            ));
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
        let client = Client::new(run.store().path(), executor_options)?;
        let is_done = |model| run.state(model) == State::Done;
        Campaign::new(&client, run.store(), models, &is_done, progress)
            .polling(poll(&executor_options.slurm)?)
            .retrying(executor_options.slurm.retries)
            .provided(&|| run.check_unchanged())
            .fight()
    }
}

/// The time between two looks at the queue.
fn poll(settings: &SlurmSettings) -> Result<Duration> {
    let poll = settings.poll;
    seconds(poll).ok_or_else(|| {
        Error::new(ErrorKind::Setting, format!("slurm.poll is {poll:?}"))
            .hint("give the seconds between two looks at the queue, such as 10")
    })
}
