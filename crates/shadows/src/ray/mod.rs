//! `ray`: models are trained by the nodes of a Ray cluster, as jobs of its Jobs interface.
//!
//! What is under way is told by Ray itself, by the jobs' names: one of run, job and attempt, which Ray takes
//! only once.

mod client;
mod details;
mod package;
mod settings;
mod talk;

use base::Progress;
use std::time::Duration;

use self::client::Client;
use self::settings::FilesWay;
pub use self::settings::RaySettings;
use super::cluster::jobs::Jobs;
use super::cluster::{Campaign, PollPolicy, poll};
use super::executor::{Executor, ExecutorOptions, Failure};
use super::run::Run;
use super::settings::Settings;
use super::store::State;
use crate::{Error, ErrorKind, Result};

/// A shared file system may show new files late.
const LAG: Duration = Duration::from_secs(90);

pub struct Ray;

impl Executor for Ray {
    fn name(&self) -> &'static str {
        "ray"
    }

    fn about(&self) -> &'static str {
        "on a Ray cluster, as jobs"
    }

    /// Without a limit it is the cluster's own affair.
    fn at_once(&self, run: &Run, executor_options: &ExecutorOptions) -> Option<usize> {
        let each = jobs(run, &executor_options.ray).models_per_job;
        let at_once = executor_options.ray.at_once;
        at_once.map(|jobs| jobs.saturating_mul(each))
    }

    fn check(&self, executor_options: &ExecutorOptions, settings: &Settings) -> Result<()> {
        executor_options.ray.check()?;
        if settings.torch.is_some() && executor_options.ray.files == FilesWay::Upload {
            return Err(Error::new(
                ErrorKind::Setting,
                "ray.files is upload, but what the functions of [torch] import and read is not known here",
            )
            .hint("set ray.files = \"shared\", with the configuration's folder on a file system that all nodes share"));
        }
        talk::check(&executor_options.ray)
    }

    fn train(
        &self,
        run: &Run,
        models: &[usize],
        executor_options: &ExecutorOptions,
        progress: Progress<'_>,
    ) -> Result<Vec<Failure>> {
        let ray = &executor_options.ray;
        let client = Client::new(run, jobs(run, ray), executor_options, progress.cancel())?;
        let is_done = |model| run.state(model) == State::Done;
        Campaign::new(&client, run.store(), models, &is_done, progress)
            .polling(PollPolicy {
                poll: poll("ray", ray.poll)?,
                // Ray's list is never behind.
                settling: Duration::ZERO,
                lag: LAG,
            })
            .retrying(ray.retries)
            .provided(&|| run.check_unchanged())
            .fight()
    }
}

fn jobs(run: &Run, ray: &RaySettings) -> Jobs {
    Jobs::new(run.settings(), ray.gpus > 0.0)
}
