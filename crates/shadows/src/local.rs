//! `local`: models are trained on this machine, several at once.

use base::{Cancel, Event, Progress};
use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::{Arc, Mutex};

use super::executor::{Executor, ExecutorOptions, Failure};
use super::failing::FirstModels;
use super::process;
use super::run::{Run, Turn};
use super::settings::{CommandSettings, Settings};
use crate::{Error, ErrorKind, Result};

pub struct Local;

impl Executor for Local {
    fn name(&self) -> &'static str {
        "local"
    }

    fn about(&self) -> &'static str {
        "on this machine, several models at once"
    }

    fn at_once(&self, run: &Run, executor_options: &ExecutorOptions) -> Option<usize> {
        let workers = workers(run, executor_options);
        Some(workers.saturating_mul(run.models_at_once()))
    }

    fn check(&self, executor_options: &ExecutorOptions, settings: &Settings) -> Result<()> {
        let setting = |message: String| Error::new(ErrorKind::Setting, message);
        let places = settings.command.as_ref().and_then(CommandSettings::places);
        match (executor_options.workers, places) {
            (Some(0), _) => {
                Err(setting("run.workers is 0".into()).hint("leave it out to use every core"))
            }
            (Some(workers), Some(places)) if workers > places => Err(setting(format!(
                "run.workers is {workers} but command.gpus × command.models_per_gpu gives {places} \
                 {}",
                if places == 1 { "place" } else { "places" }
            ))
            .hint("lower it, or raise command.models_per_gpu")),
            _ => Ok(()),
        }
    }

    fn train(
        &self,
        run: &Run,
        models: &[usize],
        executor_options: &ExecutorOptions,
        progress: Progress<'_>,
    ) -> Result<Vec<Failure>> {
        train(
            run,
            models,
            Workers {
                count: workers(run, executor_options),
                first: 0,
                cores: cores(),
            },
            progress,
        )
    }
}

/// Who trains on this machine.
pub struct Workers {
    pub count: usize,
    /// The number of the first of them: no two at work in one folder have the same.
    pub first: usize,
    /// Cores that they share.
    pub cores: usize,
}

/// Trains models by workers that each take one model or several.
pub fn train(
    run: &Run,
    models: &[usize],
    workers: Workers,
    progress: Progress<'_>,
) -> Result<Vec<Failure>> {
    let Workers {
        count,
        first,
        cores,
    } = workers;
    let at_once = count.saturating_mul(run.models_at_once());
    let at_once = at_once.clamp(1, models.len().max(1));
    let workers = count.clamp(1, at_once);
    let pool = Pool {
        run,
        workers,
        threads: (cores / workers).max(1),
        queue: Mutex::new(models.iter().copied().collect()),
        failures: Mutex::default(),
        first: Mutex::default(),
        end: Mutex::default(),
        training: progress.cancel().child(),
        progress,
    };
    let turns = || (0..at_once).map(|turn| first + turn % workers);
    // All of them before any of them trains: a worker that takes several models waits for all.
    turns().for_each(|worker| run.enter(Some(worker)));
    std::thread::scope(|scope| {
        for worker in turns() {
            let pool = &pool;
            scope.spawn(move || pool.work(worker));
        }
    });
    pool.finish()
}

/// How many workers there are, each with one model or several.
fn workers(run: &Run, executor_options: &ExecutorOptions) -> usize {
    let asked = executor_options.workers.or(run.workers());
    asked.unwrap_or_else(cores)
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// Workers take the next models as they become free, a thread for each model that they take at once.
struct Pool<'a> {
    run: &'a Run<'a>,
    workers: usize,
    threads: usize,
    queue: Mutex<VecDeque<usize>>,
    failures: Mutex<Vec<Failure>>,
    first: Mutex<FirstModels>,
    /// What ends the whole run: a full disk, code that was changed, or somebody who asked to stop.
    end: Mutex<Option<Error>>,
    progress: Progress<'a>,
    /// Also asked to stop where what is being trained now will not be kept anyway.
    training: Arc<Cancel>,
}

impl Pool<'_> {
    fn work(&self, worker: usize) {
        while let Some(model) = self.next() {
            self.progress.tell(Event::ModelStarted { model });
            match self.attempts(model, worker) {
                Ok(()) => {
                    if let Ok(mut first) = self.first.lock() {
                        first.finished();
                    }
                    self.progress.tell(Event::ModelFinished { model });
                }
                Err(error) if ends_all(&error) => {
                    let in_vain = error.kind == ErrorKind::Changed;
                    if let Ok(mut end) = self.end.lock() {
                        end.get_or_insert(error);
                    }
                    if in_vain {
                        self.training.request();
                    }
                }
                Err(error) => self.fail(model, &error),
            }
        }
        let progress = self.progress.stopped_by(&self.training);
        self.run.leave(Some(worker), progress);
    }

    fn next(&self) -> Option<usize> {
        let ended = self.end.lock().is_ok_and(|end| end.is_some());
        if ended || self.fails_alike() || self.progress.cancelled() {
            return None;
        }
        self.queue.lock().ok()?.pop_front()
    }

    fn fails_alike(&self) -> bool {
        let first = self.first.lock();
        first.is_ok_and(|first| first.all_fail_alike(self.workers))
    }

    fn attempts(&self, model: usize, worker: usize) -> Result<()> {
        let most = self.run.retries() + 1;
        let mut attempt = 1;
        loop {
            let turn = Turn {
                worker: Some(worker),
                threads: self.threads,
                attempt,
            };
            let progress = self.progress.quietly().stopped_by(&self.training);
            match self.run.train(model, turn, progress) {
                Err(error) if !ends_all(&error) && attempt < most && !self.fails_alike() => {
                    self.progress.tell(Event::ModelFailed {
                        model,
                        error: &error,
                        again: true,
                    });
                    attempt += 1;
                }
                other => return other,
            }
        }
    }

    fn fail(&self, model: usize, error: &Error) {
        self.progress.tell(Event::ModelFailed {
            model,
            error,
            again: false,
        });
        let log = self.run.store().log(model);
        let tail = process::tail(&log);
        let failure = Failure::new(model, error, log, &[tail]);
        if let Ok(mut first) = self.first.lock() {
            first.failed(&failure);
        }
        if let Ok(mut failures) = self.failures.lock() {
            failures.push(failure);
        }
    }

    fn finish(self) -> Result<Vec<Failure>> {
        if self.progress.cancelled() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        if let Some(error) = self.end.into_inner().ok().flatten() {
            return Err(error);
        }
        let mut failures = self.failures.into_inner().unwrap_or_default();
        failures.sort_by_key(|failure| failure.model);
        Ok(failures)
    }
}

/// Errors that would befall the next model too.
fn ends_all(error: &Error) -> bool {
    matches!(
        error.kind,
        ErrorKind::Interrupted | ErrorKind::Write | ErrorKind::Changed
    )
}
