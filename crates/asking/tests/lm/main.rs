//! Servers of language models, played on loopback.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_asking as asking;

mod campaign;
mod fake;
mod faults;
mod real;
mod recorded;
mod refusals;
mod scoring;
mod simulated;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use asking::lm::{Endpoint, Prompt};
use asking::store::Store;
use base::{Cancel, Event, Progress, Sink};
use tempfile::TempDir;

/// For servers that answer at once.
fn endpoint(url: &str, dialect: &str) -> Endpoint {
    Endpoint {
        dialect: dialect.into(),
        timeout: Duration::from_secs(20),
        retries: 3,
        ..Endpoint::new(url)
    }
}

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store)
}

fn text(text: &str) -> Prompt {
    Prompt::Text(text.into())
}

/// Remembers everything, and stops after so many texts.
#[derive(Default)]
struct Watcher {
    stop_after: Option<usize>,
    cancel: Cancel,
    stored: AtomicUsize,
    texts: AtomicUsize,
    tokens: AtomicUsize,
    waits: Mutex<Vec<(f64, String)>>,
}

impl Sink for Watcher {
    fn receive(&self, event: &Event<'_>) {
        match event {
            Event::Found { stored } => self.stored.store(*stored, Ordering::SeqCst),
            Event::Advanced { count, tokens } => {
                let scored = self.texts.fetch_add(*count, Ordering::SeqCst) + count;
                self.tokens.fetch_add(*tokens, Ordering::SeqCst);
                if self.stop_after.is_some_and(|most| scored >= most) {
                    self.cancel.request();
                }
            }
            Event::Waiting { seconds, why } => {
                self.waits.lock().unwrap().push((*seconds, (*why).into()));
            }
            _ => {}
        }
    }
}

impl Watcher {
    fn progress(&self) -> Progress<'_> {
        Progress::new(self, &self.cancel)
    }
}
