//! Servers of language models, played on loopback.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_asking as asking;

mod fake;
mod faults;
mod real;
mod recorded;
mod refusals;
mod scoring;
mod simulated;

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use asking::lm::{Endpoint, Prompt, Watch};
use asking::store::Store;
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
    stop: AtomicBool,
    stored: AtomicUsize,
    asked: AtomicUsize,
    texts: AtomicUsize,
    tokens: AtomicUsize,
    waits: Mutex<Vec<(f64, String)>>,
}

impl Watch for Watcher {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn found(&self, stored: usize, asked: usize) {
        self.stored.store(stored, Ordering::SeqCst);
        self.asked.store(asked, Ordering::SeqCst);
    }

    fn scored(&self, texts: usize, tokens: usize) {
        let scored = self.texts.fetch_add(texts, Ordering::SeqCst) + texts;
        self.tokens.fetch_add(tokens, Ordering::SeqCst);
        if self.stop_after.is_some_and(|most| scored >= most) {
            self.stop.store(true, Ordering::SeqCst);
        }
    }

    fn waiting(&self, seconds: f64, why: &str) {
        self.waits.lock().unwrap().push((seconds, why.into()));
    }
}
