//! Retrieval services, played on loopback.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_asking as asking;

mod budget;
mod fake;
mod faults;
mod hostile;
mod killed;
mod presets;
#[cfg(unix)]
mod program;
mod questions;
mod refusals;
mod requests;
mod secrets;
mod streams;
mod trial;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use asking::rag::{Ask, Asked, Outcome, Service, TargetSettings, TransportSettings};
use asking::store::Store;
use attacks::signals::probes::{Arm, Reply};
use base::{Cancel, Event, Progress, Sink};
use serde_json::{Value, json};
use tempfile::TempDir;

use fake::Request;

/// A target that is asked with `{"query": …}`.
fn plain(url: &str) -> Value {
    json!({
        "url": format!("{url}/ask"),
        "body": {"query": "{{query}}"},
        "extract": {"answer": "$.answer", "citations": "$.sources"},
    })
}

/// For servers that answer at once.
fn transport() -> TransportSettings {
    TransportSettings {
        timeout: 5.0,
        retries: 3,
        ..TransportSettings::default()
    }
}

fn settings(target: Value) -> TargetSettings {
    serde_json::from_value(target).unwrap()
}

fn service(target: Value, transport: &TransportSettings) -> Service {
    Service::new(&settings(target), transport).unwrap()
}

fn store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path()).unwrap();
    (folder, store)
}

fn ask(query: impl ToString) -> Ask {
    Ask {
        arm: Arm::Retrieval,
        query: query.to_string(),
        repeat: 0,
    }
}

fn asks(count: usize) -> Vec<Ask> {
    (0..count)
        .map(|number| ask(format!("question {number}")))
        .collect()
}

/// An answer that tells which question it belongs to.
fn echo(request: &Request) -> fake::Reply {
    let query = request.query();
    fake::Reply::json(&json!({
        "answer": format!("re: {query}"),
        "sources": [{"id": format!("of {query}"), "text": "t"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }))
}

fn replies(asked: &Asked) -> Vec<&Reply> {
    let replies = asked.outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Answered(reply) => Some(reply.as_ref()),
        _ => None,
    });
    replies.collect()
}

/// Every answer belongs to its question.
fn check_echoes(asks: &[Ask], asked: &Asked) {
    assert_eq!(asks.len(), asked.outcomes.len());
    for (ask, outcome) in asks.iter().zip(&asked.outcomes) {
        if let Outcome::Answered(reply) = outcome {
            assert_eq!(*reply.answer, *format!("re: {}", ask.query));
            let id = reply.citations[0].id.as_deref();
            assert_eq!(id, Some(format!("of {}", ask.query).as_str()));
        }
    }
}

/// Remembers everything, and stops after so many answers.
#[derive(Default)]
struct Watcher {
    stop_after: Option<usize>,
    cancel: Cancel,
    found: Mutex<Option<usize>>,
    answered: AtomicUsize,
    failed: AtomicUsize,
    waits: Mutex<Vec<String>>,
}

impl Sink for Watcher {
    fn receive(&self, event: &Event<'_>) {
        match event {
            Event::Found { stored } => *self.found.lock().unwrap() = Some(*stored),
            Event::Advanced { count, .. } => {
                let answered = self.answered.fetch_add(*count, Ordering::SeqCst) + count;
                if self.stop_after.is_some_and(|most| answered >= most) {
                    self.cancel.request();
                }
            }
            Event::Failed { .. } => {
                self.failed.fetch_add(1, Ordering::SeqCst);
            }
            Event::Waiting { why, .. } => self.waits.lock().unwrap().push((*why).into()),
            _ => {}
        }
    }
}

impl Watcher {
    fn progress(&self) -> Progress<'_> {
        Progress::new(self, &self.cancel)
    }
}
