//! The one who writes: answers to the store, many at a time, and requests set aside before they
//! are sent.
//!
//! A thread of its own, so that waiting for the disk holds up nobody who waits for the network.
//! Whatever waits when the disk is free goes into one transaction.

use std::cell::Cell;
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, oneshot};

use super::{Attempt, Fault, FaultKind, Limits, PreparedRequest};
use crate::store::{Answer, FAILURE, Key, Store};
use crate::{Error, ErrorKind, Result};

/// No transaction grows without end.
const MOST_AT_ONCE: usize = 256;

pub(super) enum Job {
    Keep(Kept, oneshot::Sender<Result<()>>),
    Remember(Key, Vec<u8>, oneshot::Sender<Result<()>>),
    SetAside(u64, oneshot::Sender<Result<u64>>),
}

/// An answer that is to be kept.
pub(super) struct Kept {
    pub request: Arc<PreparedRequest>,
    pub answer: Answer,
    pub tokens: u64,
}

/// Works until all senders are gone.
pub(super) fn write(store: &Store, mut jobs: mpsc::Receiver<Job>, limit: Option<u64>) {
    while let Some(job) = jobs.blocking_recv() {
        let mut next = Some(job);
        let mut waiting = Vec::new();
        while let Some(job) = next {
            match job {
                Job::Keep(kept, told) => waiting.push((kept, told)),
                Job::Remember(key, failure, told) => {
                    let _ = told.send(store.put_records(FAILURE, &[(key, failure)]));
                }
                Job::SetAside(wanted, told) => {
                    // Nobody may be left to hear.
                    let _ = told.send(store.set_aside(wanted, limit));
                }
            }
            next = (waiting.len() < MOST_AT_ONCE)
                .then(|| jobs.try_recv().ok())
                .flatten();
        }
        keep(store, waiting);
    }
}

fn keep(store: &Store, waiting: Vec<(Kept, oneshot::Sender<Result<()>>)>) {
    if waiting.is_empty() {
        return;
    }
    let answers: Vec<_> = waiting
        .iter()
        .map(|(kept, _)| (kept.request.question(), &kept.answer))
        .collect();
    let tokens = waiting.iter().map(|(kept, _)| kept.tokens).sum();
    let stored = store.put_answers(&answers, tokens);
    drop(answers);
    for (_, told) in waiting {
        let _ = told.send(stored.clone());
    }
}

/// What may still be spent, and the way to the writer.
pub(super) struct Ledger {
    jobs: mpsc::Sender<Job>,
    /// Requests that were set aside and not sent yet.
    aside: Cell<u64>,
    /// Only one asks for more at a time.
    asking: Mutex<()>,
    block: u64,
    tokens: Cell<u64>,
    limits: Limits,
    pub sent: Cell<u64>,
}

impl Ledger {
    /// `tokens`: spent so far.
    pub fn new(jobs: mpsc::Sender<Job>, limits: Limits, tokens: u64) -> Self {
        Self {
            jobs,
            aside: Cell::new(0),
            asking: Mutex::new(()),
            // What is set aside is lost if we are killed: a limit may be set later.
            block: limits.concurrency as u64,
            tokens: Cell::new(tokens),
            limits,
            sent: Cell::new(0),
        }
    }

    /// Takes one request out of the budget. It must be sent now.
    pub async fn take(&self) -> Attempt<()> {
        let spent = |key: &str| spent(self.limits.table, key);
        let most = self.limits.max_tokens;
        if most.is_some_and(|most| self.tokens.get() >= most) {
            return Err(spent("max_tokens"));
        }
        // What one sets aside, another may take before it looks again.
        while self.aside.get() == 0 {
            if !self.set_aside().await? {
                return Err(spent("max_requests"));
            }
        }
        self.aside.set(self.aside.get() - 1);
        self.sent.set(self.sent.get() + 1);
        Ok(())
    }

    /// Whether there was anything left to set aside.
    async fn set_aside(&self) -> Attempt<bool> {
        let _turn = self.asking.lock().await;
        if self.aside.get() > 0 {
            return Ok(true);
        }
        let (told, hear) = oneshot::channel();
        let granted = self.tell(Job::SetAside(self.block, told), hear).await?;
        self.aside.set(self.aside.get() + granted);
        Ok(granted > 0)
    }

    /// Puts an answer into the store. It is on the disk when this returns.
    pub async fn keep(&self, kept: Kept) -> Attempt<()> {
        self.tokens
            .set(self.tokens.get().saturating_add(kept.tokens));
        let (told, hear) = oneshot::channel();
        self.tell(Job::Keep(kept, told), hear).await
    }

    /// Remembers that a question failed, for those who look at the store later.
    pub async fn remember(&self, key: Key, failure: Vec<u8>) -> Attempt<()> {
        let (told, hear) = oneshot::channel();
        self.tell(Job::Remember(key, failure, told), hear).await
    }

    async fn tell<T>(&self, job: Job, hear: oneshot::Receiver<Result<T>>) -> Attempt<T> {
        let gone = || Error::new(ErrorKind::Write, "the store is no longer written to");
        let told = match self.jobs.send(job).await {
            Ok(()) => hear.await.unwrap_or_else(|_| Err(gone())),
            Err(_) => Err(gone()),
        };
        told.map_err(Fault::ours)
    }

    /// What was set aside and is left, to be given back. Ends the writing.
    pub fn close(self) -> u64 {
        self.aside.get()
    }
}

fn spent(table: &str, key: &str) -> Fault {
    let error = Error::new(ErrorKind::Setting, format!("{table}{key} is spent"))
        .hint("raise it and run again to go on: what came is kept");
    Fault::lasting(FaultKind::Spent, error)
}
