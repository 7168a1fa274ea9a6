//! Where jobs run: one file per executor, one line per executor here.

use base::Progress;
use std::path::PathBuf;

use super::local::Local;
use super::ray::{Ray, RaySettings};
use super::run::Run;
use super::settings::Settings;
use super::slurm::{Slurm, SlurmSettings};
use crate::{Error, ErrorKind, Result};

/// A model that could not be trained.
#[derive(Clone, Debug)]
pub struct Failure {
    pub model: usize,
    pub error: String,
    pub log: PathBuf,
    /// The end of its log, as the training program wrote it, and of its node's: not to be trusted.
    pub tail: String,
    /// The last line of the program's own log, or of its node's where it left none.
    pub last_words: String,
}

impl Failure {
    /// From the ends of its logs, the program's own first.
    pub fn new(model: usize, error: &Error, log: PathBuf, tails: &[String]) -> Self {
        let last_words = tails.iter().find_map(|tail| tail.lines().next_back());
        Self {
            model,
            error: error.to_string(),
            log,
            tail: tails.join("\n"),
            last_words: last_words.unwrap_or_default().to_owned(),
        }
    }

    /// What it died of: the error, and the program's last line, which usually says so. What its node said is
    /// left out where the program said something: a busy node's log may come late, or not at all.
    pub fn cause(&self) -> (&str, &str) {
        (&self.error, &self.last_words)
    }
}

/// How jobs are to be run.
#[derive(Clone, Debug, Default)]
pub struct ExecutorOptions {
    /// Models at once on this machine; chosen by the trainer or the number of cores if absent.
    pub workers: Option<usize>,
    pub slurm: SlurmSettings,
    pub ray: RaySettings,
    /// The program that a cluster's nodes start.
    pub worker: PathBuf,
}

/// Runs jobs somewhere.
pub trait Executor: Sync {
    fn name(&self) -> &'static str;

    /// For people, in a line.
    fn about(&self) -> &'static str;

    /// How many models are trained at once; absent where somebody else decides.
    fn at_once(&self, run: &Run, executor_options: &ExecutorOptions) -> Option<usize>;

    /// Checks what can be checked before anything is read or trained.
    fn check(&self, executor_options: &ExecutorOptions, settings: &Settings) -> Result<()>;

    /// Trains the models named. Those that could not be trained come back; the others went on, or
    /// were not tried because the first ones all failed alike.
    fn train(
        &self,
        run: &Run,
        models: &[usize],
        executor_options: &ExecutorOptions,
        progress: Progress<'_>,
    ) -> Result<Vec<Failure>>;
}

static EXECUTORS: [&dyn Executor; 3] = [&Local, &Slurm, &Ray];

/// Every executor there is.
pub fn executors() -> &'static [&'static dyn Executor] {
    &EXECUTORS
}

/// The executor of this name.
pub fn find(name: &str) -> Result<&'static dyn Executor> {
    let found = executors().iter().find(|executor| executor.name() == name);
    found.copied().ok_or_else(|| {
        let names: Vec<&str> = executors().iter().map(|executor| executor.name()).collect();
        Error::new(ErrorKind::Setting, format!("there is no executor {name}"))
            .hint(format!("choose one of {}", names.join(", ")))
    })
}
