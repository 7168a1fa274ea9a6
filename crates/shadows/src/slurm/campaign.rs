//! The course of a run on a cluster: what is submitted, waited for, submitted again, given up.

use base::{Event, Progress};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::client::is_passing;
use super::ending::{self, Ending, Endings};
use super::queue::Task;
use super::script::{self, Batch};
use crate::executor::Failure;
use crate::process;
use crate::store::Store;
use crate::{Error, ErrorKind, Result};

/// What a campaign asks of a cluster.
pub trait Cluster {
    /// What the arrays of this run are named, before the offset.
    fn name(&self) -> &str;

    /// This run's tasks that wait or run.
    fn queue(&self) -> Result<Vec<Task>>;

    /// Submits one array; its number comes back.
    fn submit(&self, batch: &Batch) -> Result<String>;

    /// How the tasks of an array ended, as far as anybody knows.
    fn endings(&self, array: &str) -> Endings;
}

/// How long to wait for what.
pub struct PollPolicy {
    /// Between two looks at the queue.
    pub poll: Duration,
    /// From a task's leaving the queue until its ending is asked for: accounts may trail.
    pub settling: Duration,
    /// From then until a task that ended well is thought to have left no model: a shared file
    /// system may show new files late.
    pub lag: Duration,
}

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
    /// Whether Slurm answered at all.
    answered: bool,
    /// Whether its silence was told.
    silent: bool,
    /// What was told about the queue.
    told: BTreeSet<String>,
}

struct Submission {
    array: String,
    /// Whether it was seen to wait.
    waited: bool,
    running: bool,
    /// When its task's log was last written to before this submission.
    log: Option<SystemTime>,
    /// Since when it is no longer in the queue.
    gone: Option<Instant>,
}

impl Submission {
    fn new(array: String, log: &Path) -> Self {
        Self {
            array,
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
            answered: false,
            silent: false,
            told: BTreeSet::new(),
        }
    }

    pub fn polling(mut self, poll: Duration) -> Self {
        self.polling.poll = poll;
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
            if self.wanted.is_empty() {
                self.failures.sort_by_key(|failure| failure.model);
                return Ok(self.failures);
            }
            self.wait()?;
        }
    }

    /// The tasks that Slurm has of this run; nothing when it does not answer now.
    fn look(&mut self) -> Result<Option<Vec<Task>>> {
        match self.cluster.queue() {
            Ok(tasks) => {
                self.answered = true;
                if std::mem::take(&mut self.silent) {
                    self.progress.note("Slurm answers again");
                }
                Ok(Some(tasks))
            }
            Err(_) if self.progress.cancelled() => Err(self.interrupted()),
            // Where it answered before, it will again, whatever it says meanwhile.
            Err(error) if self.answered || is_passing(&error) => {
                self.lament(&error);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn lament(&mut self, error: &Error) {
        if !std::mem::replace(&mut self.silent, true) {
            self.progress
                .note(&format!("Slurm does not answer, waiting: {error}"));
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
                "{} in Slurm's queue already",
                count(found.len(), "is", "are")
            ));
        }
        for (&model, task) in &tasks {
            self.attempts.entry(model).or_insert(1);
            let log = script::log(self.store.path(), model);
            let submission = self
                .out
                .entry(model)
                .or_insert_with(|| Submission::new(String::new(), &log));
            submission.array.clone_from(&task.array);
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
        self.warn(tasks.values().copied());
    }

    /// Tells of models that will not run unless somebody does something.
    fn warn<'t>(&mut self, tasks: impl Iterator<Item = &'t Task>) {
        let mut troubles: BTreeMap<&str, usize> = BTreeMap::new();
        for reason in tasks.filter_map(Task::trouble) {
            *troubles.entry(reason).or_default() += 1;
        }
        for (reason, models) in troubles {
            if self.told.insert(reason.to_owned()) {
                self.progress.note(&format!(
                    "{} in Slurm's queue for a reason that may not pass by itself: {reason}",
                    count(models, "waits", "wait")
                ));
            }
        }
    }

    /// Decides about models that left the queue without a result.
    fn settle(&mut self) {
        let ripe: Vec<(usize, String, Duration)> = self
            .out
            .iter()
            .filter_map(|(&model, out)| Some((model, out.array.clone(), out.gone?.elapsed())))
            .filter(|(_, _, gone)| *gone >= self.polling.settling)
            .collect();
        let mut asked: BTreeMap<String, Endings> = BTreeMap::new();
        for (model, array, gone) in ripe {
            let endings = asked
                .entry(array)
                .or_insert_with_key(|array| self.cluster.endings(array));
            let task = model - script::offset_of(model);
            let late = gone < self.polling.settling + self.polling.lag;
            if endings.lacks(task) && self.never_ran(model) {
                // The log of a task that did run may show late.
                if !late {
                    self.lose(model, Some(&Ending::withdrawn()));
                }
                continue;
            }
            let ending = endings.get(task);
            if !(late && ending.is_some_and(Ending::is_well)) {
                self.lose(model, ending);
            }
        }
    }

    fn never_ran(&self, model: usize) -> bool {
        let log = script::log(self.store.path(), model);
        self.out
            .get(&model)
            .is_some_and(|submission| submission.never_ran(&log))
    }

    /// Submits a model again, until it failed too often.
    fn lose(&mut self, model: usize, ending: Option<&Ending>) {
        let attempts = self.attempts.entry(model).or_insert(1);
        if ending.is_some_and(Ending::is_preempted) {
            // That was no fault of the model's.
            *attempts = attempts.saturating_sub(1);
        }
        let cancelled = ending.is_some_and(Ending::is_cancelled);
        let again = !cancelled && *attempts <= self.retries;
        let mut error = ending.map_or_else(ending::unknown, Ending::error);
        let failed = ending.is_some_and(Ending::is_failure);
        if !again && failed && self.logs(model).is_empty() {
            error = error.hint(
                "its node wrote no log: run.folder must be on a file system that all nodes share",
            );
        }
        self.progress.tell(Event::ModelFailed {
            model,
            error: &error,
            again,
        });
        self.out.remove(&model);
        if again {
            self.due.insert(model);
        } else {
            self.give_up(model, &error);
        }
    }

    fn give_up(&mut self, model: usize, error: &Error) {
        self.dismiss(model);
        let logs = self.logs(model);
        let tails = logs.iter().map(|log| process::tail(log));
        self.failures.push(Failure {
            model,
            error: error.to_string(),
            tail: tails.collect::<Vec<_>>().join("\n"),
            log: logs
                .into_iter()
                .next()
                .unwrap_or_else(|| script::log(self.store.path(), model)),
        });
    }

    /// What the training program said, and what its node said afterwards, where they are.
    fn logs(&self, model: usize) -> Vec<PathBuf> {
        let logs = [self.store.log(model), script::log(self.store.path(), model)];
        logs.into_iter().filter(|log| log.exists()).collect()
    }

    /// Submits what is due; what Slurm cannot take now stays due.
    fn submit(&mut self) -> Result<()> {
        let due: Vec<usize> = self.due.difference(&self.held).copied().collect();
        if !due.is_empty() {
            // A node would find out too, but only after waiting its turn.
            (self.is_same)()?;
        }
        for batch in script::batches(&due) {
            let id = match self.cluster.submit(&batch) {
                Ok(id) => id,
                Err(_) if self.progress.cancelled() => return Err(self.interrupted()),
                Err(error) if is_passing(&error) => {
                    self.lament(&error);
                    return Ok(());
                }
                Err(error) => return Err(error.hint("check [slurm] in the configuration")),
            };
            for &model in &batch.models {
                *self.attempts.entry(model).or_default() += 1;
                self.due.remove(&model);
                let log = script::log(self.store.path(), model);
                self.out.insert(model, Submission::new(id.clone(), &log));
            }
            self.progress.note(&format!(
                "{} submitted to Slurm as job array {id}",
                count(batch.models.len(), "is", "are")
            ));
        }
        Ok(())
    }

    fn tell(&self) {
        let there = self.out.values().filter(|out| out.gone.is_none());
        let (running, waiting): (Vec<_>, Vec<_>) = there.partition(|out| out.running);
        self.progress.tell(Event::Queued {
            running: running.len(),
            waiting: waiting.len(),
        });
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
        let offsets: BTreeSet<usize> = self.out.keys().map(|&m| script::offset_of(m)).collect();
        let commands: Vec<String> = offsets
            .into_iter()
            .map(|offset| script::array_name(self.cluster.name(), offset))
            .map(|name| format!("scancel --name={name}"))
            .collect();
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
