//! Work on a thread of its own, while the calling thread listens for Ctrl-C and tells of progress.
//!
//! The work never needs the interpreter: only the calling thread holds it, for moments.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use base::{Cancel, Event, Progress, Sink};
use guestlist::Error;
use pyo3::prelude::*;

use crate::errors::{Outcome, Raised};

/// How often signals are looked for and progress is told.
const PAUSE: Duration = Duration::from_millis(50);

/// Called with the stretch of work, what is done of it, and how much it is.
pub type Listener<'py> = Option<Bound<'py, PyAny>>;

/// Runs `work` with Python free to go on. An exception of a signal handler or of the listener
/// stops the work and is raised once it has cleaned up.
pub fn follow<T: Send>(
    py: Python<'_>,
    listener: &Listener<'_>,
    work: impl FnOnce(Progress<'_>) -> Result<T, Error> + Send,
) -> Outcome<T> {
    let follower = Follower::default();
    let over = Bell::default();
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let _ring = RingWhenDropped(&over);
            work(Progress::new(&follower, &follower.cancel))
        });
        let mut stopped = None;
        while !py.detach(|| over.heard_within(PAUSE)) {
            if stopped.is_none() {
                let heard = py.check_signals().and_then(|()| follower.tell(listener));
                stopped = heard.err();
                if stopped.is_some() {
                    follower.cancel.request();
                }
            }
        }
        let outcome = py.detach(|| worker.join());
        let outcome = outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        match stopped {
            Some(error) => Err(Raised::Python(error)),
            None => {
                let done = outcome?;
                follower.tell(listener).map_err(Raised::Python)?;
                Ok(done)
            }
        }
    })
}

/// What the work says of itself.
#[derive(Default)]
pub struct Follower {
    cancel: Cancel,
    done: AtomicUsize,
    stretch: Mutex<(String, usize)>,
}

impl Follower {
    fn tell(&self, listener: &Listener<'_>) -> PyResult<()> {
        let Some(listener) = listener else {
            return Ok(());
        };
        let (name, records) = match self.stretch.lock() {
            Ok(stretch) => stretch.clone(),
            Err(_) => return Ok(()),
        };
        let done = self.done.load(Ordering::Relaxed);
        listener.call1((name, done, records)).map(|_| ())
    }
}

impl Sink for Follower {
    fn receive(&self, event: &Event<'_>) {
        match *event {
            Event::Phase { name, total, .. } => {
                if let Ok(mut stretch) = self.stretch.lock() {
                    *stretch = (name.to_owned(), total);
                    self.done.store(0, Ordering::Relaxed);
                }
            }
            Event::Found { stored } => {
                self.done.fetch_add(stored, Ordering::Relaxed);
            }
            Event::Advanced { count, .. } => {
                self.done.fetch_add(count, Ordering::Relaxed);
            }
            Event::Failed { .. } | Event::ModelFinished { .. } => {
                self.done.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// Rings once, when the work is over.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn ring(&self) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    fn heard_within(&self, time: Duration) -> bool {
        let rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(rung, time, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// However the work ends, the waiting thread must hear of it.
struct RingWhenDropped<'a>(&'a Bell);

impl Drop for RingWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.ring();
    }
}
