//! `slurm`: models are trained by the nodes of a cluster, as job arrays.
//!
//! What is finished is told by the run's folder, which the nodes share; what is under way is told
//! by Slurm itself, by the arrays' names. Nothing else is remembered, so that this process may
//! die at any time: the next one finds the same arrays and waits for them.

mod client;
mod queue;
mod script;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use self::client::{Client, is_passing};
use self::queue::Task;
use super::executor::{Executor, Failure, Follow, Manner};
use super::process;
use super::run::Run;
use super::store::State;
use crate::{Error, ErrorKind, Result};

/// How long a finished task's files may take to be seen from here, on a shared file system.
const SETTLING: Duration = Duration::from_secs(5);
/// How often the wait looks whether to stop.
const GLANCE: Duration = Duration::from_millis(100);

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
    /// Models under way at once, over the whole cluster.
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

    fn words(&self) -> &'static str {
        "on a cluster, as Slurm job arrays"
    }

    fn check(&self, manner: &Manner) -> Result<()> {
        let poll = manner.slurm.poll;
        if !(poll.is_finite() && poll > 0.0) {
            return Err(
                Error::new(ErrorKind::Setting, format!("slurm.poll is {poll}"))
                    .hint("give the seconds between two looks at the queue, such as 10"),
            );
        }
        if manner.slurm.cores == 0 || manner.slurm.at_once == Some(0) {
            return Err(Error::new(
                ErrorKind::Setting,
                "slurm.cores and slurm.at_once are at least 1",
            ));
        }
        Client::check()
    }

    fn train(
        &self,
        run: &Run,
        models: &[usize],
        manner: &Manner,
        follow: &dyn Follow,
    ) -> Result<Vec<Failure>> {
        Campaign {
            run,
            manner,
            follow,
            client: Client::new(run.store().path())?,
            wanted: models.iter().copied().collect(),
            attempts: BTreeMap::new(),
            failures: Vec::new(),
            running: BTreeSet::new(),
        }
        .fight()
    }
}

/// One run's dealings with the cluster.
struct Campaign<'a> {
    run: &'a Run<'a>,
    manner: &'a Manner,
    follow: &'a dyn Follow,
    client: Client,
    /// Models that are not finished yet and not given up.
    wanted: BTreeSet<usize>,
    /// How often each was submitted by this process.
    attempts: BTreeMap<usize, u32>,
    failures: Vec<Failure>,
    /// Models that were said to be running.
    running: BTreeSet<usize>,
}

impl Campaign<'_> {
    fn fight(mut self) -> Result<Vec<Failure>> {
        let mut absent_since: Option<Instant> = None;
        loop {
            self.gather();
            if self.wanted.is_empty() {
                self.failures.sort_by_key(|failure| failure.model);
                return Ok(self.failures);
            }
            let Some(tasks) = self.look()? else {
                self.wait(Duration::from_secs_f64(self.manner.slurm.poll))?;
                continue;
            };
            let idle = self.idle(&tasks);
            let fresh: Vec<usize> = idle
                .iter()
                .copied()
                .filter(|model| !self.attempts.contains_key(model))
                .collect();
            let gone: Vec<usize> = idle
                .iter()
                .copied()
                .filter(|model| self.attempts.contains_key(model))
                .collect();
            if !fresh.is_empty() {
                self.submit(&fresh)?;
            }
            // A task that left the queue may have finished: its files may be on their way.
            if gone.is_empty() {
                absent_since = None;
            } else if absent_since.get_or_insert_with(Instant::now).elapsed() >= SETTLING {
                absent_since = None;
                self.gather();
                let lost: Vec<usize> = gone
                    .into_iter()
                    .filter(|model| self.wanted.contains(model))
                    .collect();
                self.again(&lost)?;
                continue;
            }
            let poll = Duration::from_secs_f64(self.manner.slurm.poll);
            let short = absent_since.map_or(poll, |_| poll.min(Duration::from_secs(1)));
            self.wait(short)?;
        }
    }

    /// Takes note of the models that are finished.
    fn gather(&mut self) {
        let done: Vec<usize> = self
            .wanted
            .iter()
            .copied()
            .filter(|&model| self.run.state(model) == State::Done)
            .collect();
        for model in done {
            self.wanted.remove(&model);
            self.follow.finished(model);
        }
    }

    /// The tasks that Slurm has of this run; nothing when it does not answer now.
    fn look(&mut self) -> Result<Option<Vec<Task>>> {
        let tasks = match self.client.queue() {
            Ok(tasks) => tasks,
            Err(error) if is_passing(&error) => {
                self.follow
                    .said(&format!("Slurm does not answer, waiting: {error}"));
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        for task in tasks.iter().filter(|task| task.running) {
            if self.wanted.contains(&task.model) && self.running.insert(task.model) {
                self.follow.started(task.model);
            }
        }
        Ok(Some(tasks))
    }

    /// Models that nobody trains.
    fn idle(&self, tasks: &[Task]) -> Vec<usize> {
        let queued: BTreeSet<usize> = tasks.iter().map(|task| task.model).collect();
        self.wanted.difference(&queued).copied().collect()
    }

    /// Submits models; those that Slurm cannot take now are tried again at the next look.
    fn submit(&mut self, models: &[usize]) -> Result<()> {
        for batch in script::batches(models) {
            match self.client.submit(self.run, &batch, self.manner) {
                Ok(id) => {
                    for &model in &batch.models {
                        *self.attempts.entry(model).or_default() += 1;
                        self.running.remove(&model);
                    }
                    self.follow.said(&format!(
                        "submitted {} models to Slurm as job array {id}",
                        batch.models.len()
                    ));
                }
                Err(error) if is_passing(&error) => self
                    .follow
                    .said(&format!("Slurm takes nothing now, waiting: {error}")),
                Err(error) => {
                    return Err(error.hint("check [slurm] in the configuration"));
                }
            }
        }
        Ok(())
    }

    /// Submits again what failed, until it failed too often.
    fn again(&mut self, lost: &[usize]) -> Result<()> {
        let mut retry = Vec::new();
        for &model in lost {
            let attempts = self.attempts.get(&model).copied().unwrap_or(0);
            let error = self.client.account(model);
            let more = attempts <= self.manner.slurm.retries;
            self.follow.failed(model, &error, more);
            if more {
                retry.push(model);
            } else {
                self.give_up(model, &error);
            }
        }
        if retry.is_empty() {
            return Ok(());
        }
        self.submit(&retry)
    }

    fn give_up(&mut self, model: usize, error: &Error) {
        self.wanted.remove(&model);
        let log = self.log(model);
        self.failures.push(Failure {
            model,
            error: error.to_string(),
            tail: process::tail(&log),
            log,
        });
    }

    /// The program's own log where there is one; else what the node wrote.
    fn log(&self, model: usize) -> PathBuf {
        let own = self.run.store().log(model);
        match own.exists() {
            true => own,
            false => script::log(self.run.store().path(), model),
        }
    }

    fn wait(&self, time: Duration) -> Result<()> {
        let started = Instant::now();
        while started.elapsed() < time {
            if self.follow.stopped() {
                return Err(Error::new(
                    ErrorKind::Interrupted,
                    "interrupted; the cluster goes on with what was submitted",
                ));
            }
            std::thread::sleep(GLANCE.min(time));
        }
        Ok(())
    }
}
