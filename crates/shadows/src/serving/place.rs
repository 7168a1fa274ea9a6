//! A place where one program serves: who hands it a model when, and what becomes of the models that
//! it has.
//!
//! As many threads as the program takes models at once hand their models over here, and each waits
//! for its own answer.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base::Progress;

use super::answer::Line;
use super::cause::Cause;
use super::words::WorkerLog;
use super::worker::{Ending, Listener, Worker};
use crate::process::PATIENCE;
use crate::{Error, ErrorKind, Result};

/// How long a program whose input has ended may take to end.
const GRACE: Duration = Duration::from_secs(10);

/// One model for a program that serves.
pub struct Handed<'a> {
    pub model: usize,
    /// The job as one line.
    pub line: Vec<u8>,
    /// For the log.
    pub heading: String,
    pub log: &'a Path,
    /// Whether the program is to have no other model meanwhile.
    pub alone: bool,
}

/// Where one program serves.
pub struct Place {
    /// Absent where somebody else shares out the places.
    number: Option<usize>,
    /// Whether the program takes several models at once, and is told when no more come.
    several: bool,
    timeout: Option<Duration>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// How many programs were started here.
    starts: u64,
    /// Models that the program has.
    held: BTreeSet<usize>,
    /// What became of models whose threads have not looked yet, and how long the log was then.
    outcomes: BTreeMap<usize, (Outcome, u64)>,
    /// Threads that hand models over here.
    crew: usize,
    /// Of these, so many wait until the program has fewer models.
    blocked: usize,
    /// Of these, so many want it to have none.
    lone_waiting: usize,
    /// Whether the model that it has is to stay alone.
    lone: bool,
    /// Whether the program knows that no more come before an answer.
    told: bool,
}

struct Running {
    worker: Worker,
    log: WorkerLog,
    /// Where its words begin in the log.
    begin: u64,
    answered: usize,
    /// Why it is being ended.
    cause: Option<Cause>,
}

enum Outcome {
    Done,
    /// The program says so.
    Failed(String),
    Lost(Cause),
    /// The program left in good order before it read the job.
    Unread,
}

impl Place {
    pub fn new(number: Option<usize>, several: bool, timeout: Option<Duration>) -> Self {
        Self {
            number,
            several,
            timeout,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        let waited = self.changed.wait_timeout(state, PATIENCE);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Somebody will hand models over here until they leave.
    pub fn enter(&self) {
        self.lock().crew += 1;
    }

    /// Somebody has no more models for this place. With the last of them the program ends.
    pub fn leave(&self, progress: Progress<'_>) {
        let mut state = self.lock();
        state.crew = state.crew.saturating_sub(1);
        if state.crew > 0 {
            self.tell_if_all(&mut state);
            return;
        }
        if let Some(running) = &mut state.running {
            running.worker.close();
        }
        let since = Instant::now();
        while state.running.is_some() {
            if progress.cancelled() || since.elapsed() >= GRACE {
                state.end(Cause::Stopped);
            }
            state = self.wait(state);
        }
    }

    /// Ends the program, whatever it does.
    pub fn end(&self) {
        let mut state = self.lock();
        state.end(Cause::Stopped);
        while state.running.is_some() {
            state = self.wait(state);
        }
    }

    /// Has a model trained: hands it over and waits for the answer.
    pub fn train(
        self: &Arc<Self>,
        handed: &Handed<'_>,
        command: &dyn Fn() -> Result<Command>,
        progress: Progress<'_>,
    ) -> Result<()> {
        loop {
            let state = self.turn(handed.alone, progress)?;
            let (state, log, since) = self.hand_over(state, handed, command)?;
            let (outcome, until) = self.outcome(state, handed.model, progress);
            let (words, outcome) = match outcome {
                Outcome::Unread => continue,
                Outcome::Done => (String::new(), Ok(())),
                Outcome::Lost(cause) => {
                    (String::new(), Err(cause.error(handed.model, self.timeout)))
                }
                Outcome::Failed(words) => {
                    let message = format!("the training program says: {words}");
                    (words, Err(Error::new(ErrorKind::Training, message)))
                }
            };
            log.share(since..until, &handed.heading, &words, handed.log)?;
            return outcome;
        }
    }

    /// Waits until the program may have one more model.
    fn turn(&self, alone: bool, progress: Progress<'_>) -> Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        let lone = usize::from(alone);
        state.blocked += 1;
        state.lone_waiting += lone;
        while state.is_busy(alone) && !progress.cancelled() {
            self.tell_if_all(&mut state);
            state = self.wait(state);
        }
        state.blocked -= 1;
        state.lone_waiting -= lone;
        match progress.cancelled() {
            true => Err(Error::interrupted()),
            false => Ok(state),
        }
    }

    /// The program's log, and how much of it there was before the model, come back.
    fn hand_over<'s>(
        self: &Arc<Self>,
        mut state: MutexGuard<'s, State>,
        handed: &Handed<'_>,
        command: &dyn Fn() -> Result<Command>,
    ) -> Result<(MutexGuard<'s, State>, WorkerLog, u64)> {
        let running = match state.running.take() {
            Some(running) => running,
            None => {
                state.starts += 1;
                self.start(state.starts, handed, command()?)?
            }
        };
        let log = running.log.clone();
        let since = match running.answered == 0 {
            // What it said while it got ready belongs to its first models.
            true => running.begin,
            false => log.length(),
        };
        running.worker.tell(handed.line.clone());
        state.running = Some(running);
        state.held.insert(handed.model);
        state.lone = handed.alone;
        state.told = false;
        self.tell_if_all(&mut state);
        Ok((state, log, since))
    }

    fn start(
        self: &Arc<Self>,
        start: u64,
        handed: &Handed<'_>,
        command: Command,
    ) -> Result<Running> {
        let log = WorkerLog::new(self.number, handed.log);
        let heading = match self.number {
            Some(number) => format!("worker {number}, start {start}"),
            None => handed.heading.clone(),
        };
        let file = log.open(&heading)?;
        let ears = Ears {
            place: Arc::clone(self),
            start,
        };
        let begin = log.length();
        Ok(Running {
            worker: Worker::start(command, file, Arc::new(ears))?,
            log,
            begin,
            answered: 0,
            cause: None,
        })
    }

    /// An empty line tells a program that takes several models that no more come before it answers:
    /// all who could hand one over have done so, or wait until it has fewer.
    fn tell_if_all(&self, state: &mut State) {
        let all = state.lone || state.held.len() + state.blocked >= state.crew;
        if !self.several || state.told || state.held.is_empty() || !all {
            return;
        }
        if let Some(running) = &state.running {
            running.worker.tell(b"\n".to_vec());
            state.told = true;
        }
    }

    /// Waits for what becomes of a model.
    fn outcome(
        &self,
        mut state: MutexGuard<'_, State>,
        model: usize,
        progress: Progress<'_>,
    ) -> (Outcome, u64) {
        let since = Instant::now();
        loop {
            if let Some(outcome) = state.outcomes.remove(&model) {
                return outcome;
            }
            if progress.cancelled() {
                state.end(Cause::Stopped);
            } else if self
                .timeout
                .is_some_and(|timeout| since.elapsed() >= timeout)
            {
                state.end(Cause::TimedOut { model });
            }
            state = self.wait(state);
        }
    }
}

impl State {
    /// Whether somebody has to wait before they hand a model over.
    fn is_busy(&self, alone: bool) -> bool {
        let running = self.running.as_ref();
        let ending = running.is_some_and(|running| running.cause.is_some());
        let taken = match alone {
            true => !self.held.is_empty(),
            // Those who want it for themselves go first.
            false => (self.lone && !self.held.is_empty()) || self.lone_waiting > 0,
        };
        ending || taken
    }

    /// Ends the program; the first cause counts.
    fn end(&mut self, cause: Cause) {
        if let Some(running) = &mut self.running {
            running.cause.get_or_insert(cause);
            running.worker.end();
        }
    }

    fn answer(&mut self, line: Line) {
        match line {
            Line::Answer { model, error } if self.held.remove(&model) => {
                let outcome = error.map_or(Outcome::Done, Outcome::Failed);
                if let Some(running) = &mut self.running {
                    running.answered += 1;
                    let until = running.log.length();
                    self.outcomes.insert(model, (outcome, until));
                }
            }
            Line::Answer { model, .. } => self.end(Cause::Unasked { model }),
            Line::Wrong(words) => self.end(Cause::Wrong(words)),
            Line::Words => {}
        }
    }

    /// The program is gone; so are the models that it had.
    fn over(&mut self, ending: Ending) {
        let Some(Running {
            log,
            answered,
            cause,
            ..
        }) = self.running.take()
        else {
            return;
        };
        let until = log.length();
        for model in std::mem::take(&mut self.held) {
            let outcome = match (&cause, &ending) {
                (Some(cause), _) => Outcome::Lost(cause.clone()),
                // It may have left without knowing of the job. It answered before, so that this
                // cannot go on for ever.
                (None, Ending::Exited(status)) if status.success() && answered > 0 => {
                    Outcome::Unread
                }
                (None, Ending::Exited(status)) => Outcome::Lost(Cause::Exited(*status)),
                (None, Ending::Closed) => Outcome::Lost(Cause::Closed),
                (None, Ending::Ended) => Outcome::Lost(Cause::Vanished),
            };
            self.outcomes.insert(model, (outcome, until));
        }
    }
}

/// Hears one program; what an earlier one says late is not for the next.
struct Ears {
    place: Arc<Place>,
    start: u64,
}

impl Listener for Ears {
    fn answer(&self, line: Line) {
        let mut state = self.place.lock();
        if state.starts == self.start && state.running.is_some() {
            state.answer(line);
            self.place.changed.notify_all();
        }
    }

    fn over(&self, ending: Ending) {
        self.place.lock().over(ending);
        self.place.changed.notify_all();
    }
}
