//! Models that left the queue without a result: once more, or given up.

use base::Event;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::Campaign;
use crate::cluster::{Ending, How, Known};
use crate::executor::Failure;
use crate::process;
use crate::{Error, ErrorKind};

impl Campaign<'_> {
    /// Decides about models that left the queue without a result.
    pub(super) fn settle(&mut self) {
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
        let log = log.unwrap_or_else(|| self.cluster.log(model));
        let failure = Failure::new(model, error, log, &tails);
        // Only programs fail alike: what is cancelled or lost says nothing of the others.
        if how == Some(How::Failed) {
            self.first.failed(&failure);
        }
        self.failures.push(failure);
    }

    /// What the training program said, and what its node said afterwards, where they are.
    fn logs(&self, model: usize) -> Vec<PathBuf> {
        let logs = [self.store.log(model), self.cluster.log(model)];
        logs.into_iter().filter(|log| log.exists()).collect()
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
