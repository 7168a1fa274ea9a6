//! What clusters have in common: jobs are submitted, waited for, submitted again, given up.
//!
//! What is finished is told by the run's folder; what is under way is told by the cluster itself. Nothing else
//! is remembered, so that this process may die at any time: the next one finds the same jobs and waits for them.

mod campaign;
pub mod jobs;
mod shell;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::campaign::Campaign;
pub use self::shell::{quoted, worker_command};
use crate::{Error, ErrorKind, Result};
use formats::files;

/// What a campaign asks of a cluster.
pub trait Cluster {
    /// What people call it.
    fn system(&self) -> &'static str;

    /// This run's models that wait or run, each in its job.
    fn queue(&self) -> Result<Vec<Task>, Refusal>;

    /// How models that are due are submitted: what goes together, and only what fits beside the load.
    fn portions(&self, due: &[usize], load: Load) -> Vec<Vec<usize>>;

    /// Submits one portion; the name of its job comes back.
    fn submit(&self, models: &[usize]) -> Result<String, Refusal>;

    /// What was submitted as what, behind `3 models are submitted to …`.
    fn submitted_as(&self, _jobs: &[String]) -> String {
        String::new()
    }

    /// How models of a job ended, as far as anybody knows, in their order.
    fn endings(&self, job: &str, models: &[usize]) -> Vec<Known>;

    /// Where what a model's job said lies, once it was collected.
    fn log(&self, model: usize) -> PathBuf;

    /// Collects what a job said, where its node does not write it there by itself.
    fn collect_log(&self, _job: &str, _model: usize) {}

    /// Takes jobs back that nobody needs any more, as far as that is possible.
    fn withdraw(&self, jobs: &[(usize, String)]);

    /// What a user types to take these jobs back.
    fn withdrawing(&self, jobs: &[(usize, String)]) -> Vec<String>;
}

/// One model that a cluster has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    pub model: usize,
    /// The name of its job.
    pub job: String,
    pub running: bool,
    /// Whether it has not started.
    pub waiting: bool,
    /// Whether it is on its way out: done, or cancelled.
    pub leaving: bool,
    /// Why it waits, where somebody may have to do something about it.
    pub trouble: Option<String>,
}

/// What a cluster would not do.
#[derive(Debug)]
pub struct Refusal {
    /// Elsewhere, because most requests succeed.
    pub error: Box<Error>,
    /// Whether it merely cannot be reached now.
    pub passing: bool,
}

/// How many models a cluster has of this run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Load {
    pub running: usize,
    pub waiting: usize,
}

/// What is known of a model that is no longer in the queue.
pub enum Known {
    /// Nothing.
    Nothing,
    /// Its job is known, and it was not in it when that ran.
    NeverStarted,
    Ended(Ending),
}

/// How a job ended.
#[derive(Clone, Debug)]
pub struct Ending {
    pub how: How,
    pub error: Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// All is well, so that its files are merely on their way.
    Well,
    /// Its program ran and failed.
    Failed,
    /// Somebody did not want it any more.
    Cancelled,
    /// That was no fault of the model's: it had to make room, or was not started in time.
    Displaced,
    /// Anything else, such as a node that was lost.
    Broken,
}

/// How long to wait for what.
pub struct PollPolicy {
    /// Between two looks at the queue.
    pub poll: Duration,
    /// From a job's leaving the queue until its ending is asked for: accounts may trail.
    pub settling: Duration,
    /// From then until a job that ended well is thought to have left no model: a shared file
    /// system may show new files late.
    pub lag: Duration,
}

/// What jobs of a run are named. It comes from the run's folder, so that whoever comes back to the folder
/// finds them again, by whatever path.
pub fn name_of(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let digest = files::sha256_of(real.display().to_string().as_bytes());
    format!("guestlist-{}", &digest[..12])
}

/// The folder of a cluster's logs within a run's.
pub fn make_logs(folder: &Path, name: &str) -> Result<PathBuf> {
    let logs = folder.join(name);
    formats::private::make_folder(&logs).map_err(|e| Error::writing(&logs, &e))?;
    Ok(logs)
}

/// The time between two looks at the queue.
pub fn poll(table: &str, seconds: f64) -> Result<Duration> {
    crate::process::seconds(seconds).ok_or_else(|| {
        Error::new(ErrorKind::Setting, format!("{table}.poll is {seconds:?}"))
            .hint("give the seconds between two looks at the queue, such as 10")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_the_same_name_by_every_path() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("slurm")).unwrap();
        let straight = name_of(folder.path());
        assert_eq!(straight, name_of(&folder.path().join("slurm/..")));
        assert_ne!(straight, name_of(&folder.path().join("slurm")));
    }
}
