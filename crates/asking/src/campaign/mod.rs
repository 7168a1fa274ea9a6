//! Asking many questions, over as many runs as it takes.
//!
//! A [`Campaign`] asks what the store cannot answer: equal questions once, several at once, the
//! first of each kind alone, those that failed last; not faster than allowed, again after failures
//! that may pass, and not at all while nobody answers; within a budget that outlives the process.
//! Every answer is on the disk before anybody uses it.
//!
//! `work.rs` is the campaign itself, `trial.rs` its beginning; `retry.rs` and `breaker.rs` say when
//! a request may go out, `ledger.rs` what may be spent, and writes; `books.rs` remembers what is no answer;
//! `fault.rs` and `outcome.rs` are
//! what becomes of questions.
//!
//! Deliberately absent: HTTP, and what is asked. A [`Respondent`] translates, and says which
//! failures may pass.

mod books;
mod breaker;
mod fault;
mod ledger;
mod outcome;
mod retry;
mod trial;
mod work;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use base::Progress;
use tokio::runtime::Runtime;

pub use books::Books;
pub use fault::FailureKind;
pub(crate) use fault::{Attempt, Fault, FaultKind};
pub(crate) use outcome::Tokens;
pub use outcome::{Asked, Outcome, Tally};
pub(crate) use retry::{Pace, RetryPolicy};
pub(crate) use work::{replayed, stored};

use crate::Result;
use crate::store::{Answer, Key, Question, Store};

/// Questions to one respondent.
pub(crate) struct Campaign<'a, R: Respondent> {
    pub respondent: &'a R,
    pub limits: Limits,
    pub pace: &'a Pace,
    pub runtime: &'a Runtime,
    pub store: &'a Store,
    pub progress: Progress<'a>,
}

/// How hard somebody may be pressed, and how much may be spent.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Requests at once.
    pub concurrency: usize,
    /// How often a request that failed is tried again.
    pub retries: usize,
    /// For one request.
    pub timeout: Duration,
    /// Never exceeded over the life of a store.
    pub max_requests: Option<u64>,
    /// Once so many tokens are spent, nothing more is sent.
    pub max_tokens: Option<u64>,
    /// Where these stand in a configuration, for messages: `transport.` or nothing.
    pub table: &'static str,
    pub failures: Failures,
}

/// What a question's failure means for the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failures {
    /// Nothing: it is that question's outcome.
    AreOutcomes,
    /// The end: no more questions are begun, and those in flight are finished and stored.
    EndAll,
}

/// Who is asked: how a question becomes a request, and bytes an answer.
pub(crate) trait Respondent {
    type Question;
    type Answer: Clone;

    /// What the question is known by. Nothing is sent.
    fn prepare(&self, question: &Self::Question) -> Result<PreparedRequest>;

    /// Sends it, once.
    async fn send(&self, question: &Self::Question, request: &PreparedRequest) -> Attempt<Answer>;

    /// Makes something of what came, just now or in an earlier run.
    fn read(&self, question: &Self::Question, answer: &Answer) -> Reading<Self::Answer>;

    /// The kind of question whose first goes alone; nothing where somebody has made sure already
    /// that there will be answers.
    fn trial(&self, _question: &Self::Question) -> Option<Trial<'_>> {
        None
    }

    /// Keeps a question that was answered, for each kind the latest. `now`: not in an earlier run.
    fn keep_answered(&self, _question: &Self::Question, _now: bool) {}

    /// A question of the same kind that was [kept](Self::keep_answered): who answers it is well.
    fn answered(&self, _question: &Self::Question) -> Option<Self::Question> {
        None
    }

    /// The name under which it is remembered what asking took; nothing where nobody wants to know.
    fn name(&self) -> Option<&str> {
        None
    }

    /// Tokens in an answer, where progress is to tell of them.
    fn tokens(&self, _answer: &Self::Answer) -> usize {
        0
    }
}

/// A request without any secret: what the store knows it by.
pub(crate) struct PreparedRequest {
    dialect: &'static str,
    pub url: String,
    model: Option<String>,
    pub request: Vec<u8>,
    pub key: Key,
}

impl PreparedRequest {
    pub fn new(
        dialect: &'static str,
        url: String,
        model: Option<String>,
        request: Vec<u8>,
    ) -> Self {
        let mut prepared = Self {
            dialect,
            url,
            model,
            request,
            key: Key::default(),
        };
        prepared.key = prepared.question().key();
        prepared
    }

    pub fn question(&self) -> Question<'_> {
        Question {
            dialect: self.dialect,
            url: &self.url,
            model: self.model.as_deref(),
            request: &self.request,
        }
    }
}

/// What is made of an answer that came.
pub(crate) struct Reading<A> {
    /// A fault where it cannot be read.
    pub answer: Attempt<A>,
    /// Whether it is stored: what is a part only is no answer, and what cannot be read today may
    /// be readable tomorrow.
    pub keep: bool,
    pub tokens: Tokens,
}

/// Questions that may all fail for the same reason.
pub(crate) struct Trial<'a> {
    /// In this order, and equal for the same kind.
    pub turn: u8,
    /// Whether one of them has been answered: what fails later is one question's doing.
    pub answered: &'a AtomicBool,
    /// What to say when the first has failed.
    pub failed: &'static str,
}

/// Why a campaign ended early.
pub(crate) struct Halt {
    pub fault: Fault,
    /// The question at fault, if it was one's.
    pub question: Option<usize>,
}

type Run<T> = std::result::Result<T, Halt>;

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            question: None,
        }
    }
}

impl From<crate::Error> for Halt {
    fn from(error: crate::Error) -> Self {
        Fault::ours(error).into()
    }
}
