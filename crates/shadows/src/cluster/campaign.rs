//! The course of a run on a cluster: what is submitted, waited for, submitted again, given up.

mod losing;
mod submission;
mod submitting;

use base::{Event, Progress};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use self::submission::Submission;
use super::{Cluster, Load, PollPolicy, Task};
use crate::executor::Failure;
use crate::failing::FirstModels;
use crate::store::Store;
use crate::{Error, ErrorKind, Result};

/// One run's dealings with a cluster.
pub struct Campaign<'a> {
    cluster: &'a dyn Cluster,
    store: &'a Store,
    is_done: &'a dyn Fn(usize) -> bool,
    progress: Progress<'a>,
    /// Refuses once code or data are not those that the run began with.
    is_same: &'a dyn Fn() -> Result<()>,
    polling: PollPolicy,
    retries: u32,
    /// Models that are not finished and not given up. Each is due or out.
    wanted: BTreeSet<usize>,
    /// Models that are to be submitted.
    due: BTreeSet<usize>,
    /// Models that are not submitted yet because somebody's task of theirs is still ending.
    held: BTreeSet<usize>,
    /// Models that the cluster has, or had until now.
    out: BTreeMap<usize, Submission>,
    /// How often each was submitted, as far as we know.
    attempts: BTreeMap<usize, u32>,
    failures: Vec<Failure>,
    /// Whether all that ended so far failed of one cause.
    first: FirstModels,
    /// The most that were seen to run at once.
    most_running: usize,
    /// Whether the cluster answered at all.
    answered: bool,
    /// Whether its silence was told.
    silent: bool,
    /// What was told about the queue.
    told: BTreeSet<String>,
}

impl<'a> Campaign<'a> {
    pub fn new(
        cluster: &'a dyn Cluster,
        store: &'a Store,
        models: &[usize],
        is_done: &'a dyn Fn(usize) -> bool,
        progress: Progress<'a>,
    ) -> Self {
        Self {
            cluster,
            store,
            is_done,
            progress,
            is_same: &|| Ok(()),
            polling: PollPolicy {
                poll: Duration::from_secs(10),
                settling: Duration::from_secs(5),
                lag: Duration::from_secs(90),
            },
            retries: 0,
            wanted: models.iter().copied().collect(),
            due: models.iter().copied().collect(),
            held: BTreeSet::new(),
            out: BTreeMap::new(),
            attempts: BTreeMap::new(),
            failures: Vec::new(),
            first: FirstModels::default(),
            most_running: 0,
            answered: false,
            silent: false,
            told: BTreeSet::new(),
        }
    }

    pub fn polling(mut self, polling: PollPolicy) -> Self {
        self.polling = polling;
        self
    }

    /// What must hold before anything is submitted again.
    pub fn provided(mut self, is_same: &'a dyn Fn() -> Result<()>) -> Self {
        self.is_same = is_same;
        self
    }

    pub fn retrying(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Goes on until every model is finished or given up.
    pub fn fight(mut self) -> Result<Vec<Failure>> {
        loop {
            let tasks = self.look()?;
            // After the look: what had left the queue by then may have left its model.
            self.gather();
            if let Some(tasks) = tasks {
                self.note(&tasks);
                self.settle();
                self.submit()?;
                self.tell();
            }
            if self.first.all_fail_alike(self.most_running) {
                self.withdraw();
                self.wanted.clear();
            }
            if self.wanted.is_empty() {
                self.failures.sort_by_key(|failure| failure.model);
                return Ok(self.failures);
            }
            self.wait()?;
        }
    }

    /// The models that the cluster has of this run; nothing when it does not answer now.
    fn look(&mut self) -> Result<Option<Vec<Task>>> {
        match self.cluster.queue() {
            Ok(tasks) => {
                self.answered = true;
                if std::mem::take(&mut self.silent) {
                    self.progress
                        .note(&format!("{} answers again", self.cluster.system()));
                }
                Ok(Some(tasks))
            }
            Err(_) if self.progress.cancelled() => Err(self.interrupted()),
            // Where it answered before, it will again, whatever it says meanwhile.
            Err(refusal) if self.answered || refusal.passing => {
                self.lament(&refusal.error);
                Ok(None)
            }
            Err(refusal) => Err(*refusal.error),
        }
    }

    fn lament(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.silent, true) {
            let system = self.cluster.system();
            self.progress
                .note(&format!("{system} does not answer, waiting: {error}"));
        }
    }

    /// Takes note of the models that are finished.
    fn gather(&mut self) {
        let done: Vec<usize> = self
            .wanted
            .iter()
            .copied()
            .filter(|&model| (self.is_done)(model))
            .collect();
        for model in done {
            self.dismiss(model);
            self.first.finished();
            self.progress.tell(Event::ModelFinished { model });
        }
    }

    fn dismiss(&mut self, model: usize) {
        self.wanted.remove(&model);
        self.due.remove(&model);
        self.out.remove(&model);
    }

    /// Takes note of what the queue has and of what it has no longer.
    fn note(&mut self, tasks: &[Task]) {
        let tasks = tasks
            .iter()
            .filter(|task| self.wanted.contains(&task.model));
        // What an earlier run left to end, perhaps cancelled, is not ours to judge.
        let (held, tasks): (Vec<&Task>, Vec<&Task>) =
            tasks.partition(|task| task.leaving && self.due.contains(&task.model));
        self.held = held.iter().map(|task| task.model).collect();
        let tasks: BTreeMap<usize, &Task> =
            tasks.into_iter().map(|task| (task.model, task)).collect();
        let found: Vec<usize> = tasks
            .keys()
            .copied()
            .filter(|model| self.due.remove(model))
            .collect();
        if !found.is_empty() {
            self.progress.note(&format!(
                "{} in {}'s queue already",
                count(found.len(), "is", "are"),
                self.cluster.system()
            ));
        }
        for (&model, task) in &tasks {
            self.attempts.entry(model).or_insert(1);
            let log = self.cluster.log(model);
            let submission = self
                .out
                .entry(model)
                .or_insert_with(|| Submission::new(String::new(), &log));
            submission.job.clone_from(&task.job);
            submission.gone = None;
            submission.waited |= task.waiting;
            if task.running && !std::mem::replace(&mut submission.running, true) {
                self.progress.tell(Event::ModelStarted { model });
            }
        }
        for (model, submission) in &mut self.out {
            if !tasks.contains_key(model) {
                submission.gone.get_or_insert_with(Instant::now);
            }
        }
        self.most_running = self.most_running.max(self.load().running);
        self.warn(tasks.values().copied());
    }

    /// Tells of models that will not run unless somebody does something.
    fn warn<'t>(&mut self, tasks: impl Iterator<Item = &'t Task>) {
        let mut troubles: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in tasks.filter_map(|task| task.trouble.as_deref()) {
            *troubles.entry(reason).or_default() += 1;
        }
        for (reason, models) in troubles {
            if self.told.insert(reason.to_owned()) {
                self.progress.note(&format!(
                    "{} in {}'s queue for a reason that may not pass by itself: {reason}",
                    count(models, "waits", "wait"),
                    self.cluster.system()
                ));
            }
        }
    }

    fn load(&self) -> Load {
        let there = self.out.values().filter(|out| out.gone.is_none());
        let (running, waiting): (Vec<_>, Vec<_>) = there.partition(|out| out.running);
        Load {
            running: running.len(),
            waiting: waiting.len(),
        }
    }

    fn tell(&self) {
        let Load { running, waiting } = self.load();
        self.progress.tell(Event::Queued { running, waiting });
    }

    /// What the cluster still has.
    fn jobs(&self) -> Vec<(usize, String)> {
        let jobs = self.out.iter();
        jobs.map(|(&model, out)| (model, out.job.clone())).collect()
    }

    /// Takes back what would fail like the others.
    fn withdraw(&mut self) {
        let jobs = self.jobs();
        if !jobs.is_empty() {
            self.cluster.withdraw(&jobs);
        }
    }

    fn wait(&self) -> Result<()> {
        let settling = self.out.values().any(|out| out.gone.is_some());
        let time = match settling {
            true => self.polling.poll.min(Duration::from_secs(1)),
            false => self.polling.poll,
        };
        match self.progress.cancel().wait(time) {
            true => Err(self.interrupted()),
            false => Ok(()),
        }
    }

    fn interrupted(&self) -> Error {
        let commands = self.cluster.withdrawing(&self.jobs());
        let message = match commands.is_empty() {
            true => "interrupted".to_owned(),
            false => format!(
                "interrupted; the cluster goes on with what was submitted, until you say `{}`",
                commands.join("; ")
            ),
        };
        Error::new(ErrorKind::Interrupted, message)
    }
}

/// `1 model is`, `3 models are`.
fn count(models: usize, one: &str, many: &str) -> String {
    match models {
        1 => format!("1 model {one}"),
        _ => format!("{models} models {many}"),
    }
}

#[cfg(test)]
mod tests;
