//! The course of a run on a cluster: what is submitted, waited for, submitted again, given up.

use base::{Event, Progress};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::{Cluster, Ending, How, Known, Load, PollPolicy, Refusal, Task};
use crate::executor::Failure;
use crate::failing::FirstModels;
use crate::process;
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

struct Submission {
    job: String,
    /// Whether it was seen to wait.
    waited: bool,
    running: bool,
    /// When its task's log was last written to before this submission.
    log: Option<SystemTime>,
    /// Since when it is no longer in the queue.
    gone: Option<Instant>,
}

impl Submission {
    fn new(job: String, log: &Path) -> Self {
        Self {
            job,
            waited: false,
            running: false,
            log: written(log),
            gone: None,
        }
    }

    /// Whether nothing shows that it ever ran: it waited when it was last seen, and its log, which
    /// a task opens first of all, was not touched.
    fn never_ran(&self, log: &Path) -> bool {
        self.waited && !self.running && self.log == written(log)
    }
}

fn written(log: &Path) -> Option<SystemTime> {
    std::fs::metadata(log).ok()?.modified().ok()
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

    /// Decides about models that left the queue without a result.
    fn settle(&mut self) {
        let mut ripe: BTreeMap<String, Vec<(usize, Duration)>> = BTreeMap::new();
        for (&model, out) in &self.out {
            let gone = out.gone.map(|gone| gone.elapsed());
            if let Some(gone) = gone.filter(|gone| *gone >= self.polling.settling) {
                ripe.entry(out.job.clone()).or_default().push((model, gone));
            }
        }
        for (job, models) in ripe {
            let numbers: Vec<usize> = models.iter().map(|(model, _)| *model).collect();
            let endings = self.cluster.endings(&job, &numbers);
            for ((model, gone), known) in models.into_iter().zip(endings) {
                let late = gone < self.polling.settling + self.polling.lag;
                self.judge(model, known, late);
            }
        }
    }

    /// Decides about one of them; `late`: what it left may still be on its way.
    fn judge(&mut self, model: usize, known: Known, late: bool) {
        match known {
            // The log of a job that did run may show late.
            Known::NeverStarted if self.never_ran(model) => {
                if !late {
                    self.lose(model, Some(withdrawn()));
                }
            }
            Known::Ended(ending) if late && ending.how == How::Well => {}
            Known::Ended(ending) => self.lose(model, Some(ending)),
            Known::NeverStarted | Known::Nothing => self.lose(model, None),
        }
    }

    fn never_ran(&self, model: usize) -> bool {
        let log = self.cluster.log(model);
        self.out
            .get(&model)
            .is_some_and(|submission| submission.never_ran(&log))
    }

    /// Submits a model again, until it failed too often.
    fn lose(&mut self, model: usize, ending: Option<Ending>) {
        let how = ending.as_ref().map(|ending| ending.how);
        let attempts = self.attempts.entry(model).or_insert(1);
        if how == Some(How::Displaced) {
            *attempts = attempts.saturating_sub(1);
        }
        let again = how != Some(How::Cancelled) && *attempts <= self.retries;
        let mut error = ending.map_or_else(unknown, |ending| ending.error);
        let submission = self.out.remove(&model);
        if let Some(submission) = submission.filter(|_| !again) {
            self.cluster.collect_log(&submission.job, model);
        }
        if !again && how == Some(How::Failed) && self.logs(model).is_empty() {
            error = error.hint(
                "its node wrote no log: run.folder must be on a file system that all nodes share",
            );
        }
        self.progress.tell(Event::ModelFailed {
            model,
            error: &error,
            again,
        });
        match again {
            true => {
                self.due.insert(model);
            }
            false => self.give_up(model, &error, how),
        }
    }

    fn give_up(&mut self, model: usize, error: &Error, how: Option<How>) {
        self.dismiss(model);
        let logs = self.logs(model);
        let tails = logs.iter().map(|log| process::tail(log));
        let tails: Vec<String> = tails.collect();
        let log = logs.into_iter().next();
        let failure = Failure {
            model,
            error: error.to_string(),
            tail: tails.join("\n"),
            log: log.unwrap_or_else(|| self.cluster.log(model)),
        };
        // Only programs fail alike: what is cancelled or lost says nothing of the others.
        match how {
            Some(How::Failed) => self.first.failed(&failure),
            _ => self.first.finished(),
        }
        self.failures.push(failure);
    }

    /// What the training program said, and what its node said afterwards, where they are.
    fn logs(&self, model: usize) -> Vec<PathBuf> {
        let logs = [self.store.log(model), self.cluster.log(model)];
        logs.into_iter().filter(|log| log.exists()).collect()
    }

    /// Submits what is due; what the cluster cannot take now stays due.
    fn submit(&mut self) -> Result<()> {
        let due: Vec<usize> = self.due.difference(&self.held).copied().collect();
        let portions = self.cluster.portions(&due, self.load());
        if !portions.is_empty() {
            // A node would find out too, but only after waiting its turn.
            (self.is_same)()?;
        }
        let (mut models, mut jobs) = (0, Vec::new());
        let mut outcome = Ok(());
        for portion in portions {
            match self.cluster.submit(&portion) {
                Ok(job) => {
                    models += portion.len();
                    self.sent(&portion, &job);
                    jobs.push(job);
                }
                Err(refusal) => {
                    outcome = self.refused(refusal);
                    break;
                }
            }
        }
        if models > 0 {
            self.progress.note(&format!(
                "{} submitted to {}{}",
                count(models, "is", "are"),
                self.cluster.system(),
                self.cluster.submitted_as(&jobs)
            ));
        }
        outcome
    }

    fn sent(&mut self, models: &[usize], job: &str) {
        for &model in models {
            *self.attempts.entry(model).or_default() += 1;
            self.due.remove(&model);
            let log = self.cluster.log(model);
            self.out
                .insert(model, Submission::new(job.to_owned(), &log));
        }
    }

    fn refused(&mut self, refusal: Refusal) -> Result<()> {
        if self.progress.cancelled() {
            return Err(self.interrupted());
        }
        if refusal.passing {
            self.lament(&refusal.error);
            return Ok(());
        }
        let table = self.cluster.system().to_lowercase();
        let hint = format!("check [{table}] in the configuration");
        let error = *refusal.error;
        Err(match error.hint {
            Some(_) => error,
            None => error.hint(hint),
        })
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

/// Of a task that was taken out of its job before it started.
fn withdrawn() -> Ending {
    Ending {
        how: How::Cancelled,
        error: Error::new(
            ErrorKind::Training,
            "its task on the cluster ended as CANCELLED",
        ),
    }
}

/// What is said of a job of which the cluster knows nothing any more.
fn unknown() -> Error {
    Error::new(
        ErrorKind::Training,
        "its task left the cluster without a result",
    )
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
