//! What became of the questions.

use std::collections::BTreeMap;

use super::fault::{FailureKind, Fault};
use crate::Error;

/// Outcomes in the order of the questions.
#[derive(Clone, Debug, Default)]
pub struct Asked<A> {
    pub outcomes: Vec<Outcome<A>>,
    pub tally: Tally,
    /// Why the service was given up, where it was: the rest is not asked.
    pub given_up: Option<Box<Error>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outcome<A> {
    Answered(A),
    Failed {
        kind: FailureKind,
        message: String,
    },
    /// The budget was spent before; in a replay, there is no answer in the store.
    #[default]
    NotAsked,
}

impl<A> Outcome<A> {
    /// What has just come and could not be read, or nothing for what is not the service's doing.
    pub(super) fn failed(fault: &Fault) -> Option<Self> {
        Some(Self::Failed {
            kind: fault.failure()?,
            message: fault.error.to_string(),
        })
    }

    /// What lies in the store. It was whole when it was put there, whatever it seems to be now.
    pub(super) fn stored(answer: Result<A, Fault>) -> Self {
        match answer {
            Ok(answer) => Self::Answered(answer),
            Err(fault) => Self::Failed {
                kind: match fault.failure() {
                    Some(FailureKind::NotJson) => FailureKind::NotJson,
                    _ => FailureKind::Schema,
                },
                message: fault.error.to_string(),
            },
        }
    }
}

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub sent: u64,
    pub received: u64,
    /// Counted from characters, because the service did not say.
    pub estimated: bool,
}

impl Tokens {
    pub fn total(&self) -> u64 {
        self.sent.saturating_add(self.received)
    }

    /// About four characters make a token.
    pub fn estimate(query: &str, answer: &str) -> Self {
        let tokens = |text: &str| (text.chars().count() as u64).div_ceil(4);
        Self {
            sent: tokens(query),
            received: tokens(answer),
            estimated: true,
        }
    }
}

/// What a run took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// Requests of this run, those that failed and were tried again included.
    pub sent: u64,
    /// Of these, further tries.
    pub retried: u64,
    /// Questions answered in this run.
    pub answered: u64,
    /// Questions whose answers were in the store.
    pub from_store: u64,
    pub not_asked: u64,
    pub failed: BTreeMap<FailureKind, u64>,
    /// Tries that failed, whether or not another one mended it.
    pub faults: BTreeMap<FailureKind, u64>,
    /// Tokens of this run, where the service told or by an estimate.
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Answers whose tokens were counted from characters, because the service did not tell.
    pub tokens_estimated: u64,
    pub seconds: f64,
}

impl Tally {
    /// What further questions took.
    pub fn add(&mut self, further: &Self) {
        self.sent += further.sent;
        self.retried += further.retried;
        self.answered += further.answered;
        self.from_store += further.from_store;
        self.not_asked += further.not_asked;
        for (kind, count) in &further.failed {
            *self.failed.entry(*kind).or_default() += count;
        }
        for (kind, count) in &further.faults {
            *self.faults.entry(*kind).or_default() += count;
        }
        self.tokens_in += further.tokens_in;
        self.tokens_out += further.tokens_out;
        self.tokens_estimated += further.tokens_estimated;
        self.seconds += further.seconds;
    }

    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    pub(super) fn add_tokens(&mut self, tokens: &Tokens) {
        self.tokens_in += tokens.sent;
        self.tokens_out += tokens.received;
        self.tokens_estimated += u64::from(tokens.estimated);
    }

    /// Counts outcomes that are settled.
    pub fn count<A>(&mut self, outcome: &Outcome<A>, stored: bool) {
        match outcome {
            Outcome::Answered(_) if stored => self.from_store += 1,
            Outcome::Answered(_) => self.answered += 1,
            Outcome::Failed { kind, .. } => *self.failed.entry(*kind).or_default() += 1,
            Outcome::NotAsked => self.not_asked += 1,
        }
    }
}
