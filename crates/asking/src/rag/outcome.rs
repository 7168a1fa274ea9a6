//! What became of the questions.

use std::collections::BTreeMap;

use attacks::signals::probes::{Arm, Reply};
use serde::Serialize;

use super::usage::Tokens;
use crate::http::fault::{Fault, FaultKind};

/// One question to one arm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    pub arm: Arm,
    pub query: String,
    /// From 1 where the same is asked again, to see whether the answers differ.
    pub repeat: u32,
}

/// Outcomes in the order of the questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    pub outcomes: Vec<Outcome>,
    pub tally: Tally,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Outcome {
    Answered(Reply),
    Failed {
        kind: FailureKind,
        message: String,
    },
    /// The budget was spent before; in a replay, there is no answer in the store.
    #[default]
    NotAsked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A status that does not pass by itself.
    Refused(u16),
    RateLimited,
    ServerError,
    Timeout,
    Connection,
    /// The answer broke off.
    Cut,
    TooLarge,
    NotJson,
    /// The path to the answer matched nothing.
    Schema,
}

impl FailureKind {
    /// For people.
    pub fn words(&self) -> String {
        match self {
            Self::Refused(status) => return format!("refused with status {status}"),
            Self::RateLimited => "turned away as too many requests",
            Self::ServerError => "met an error of the service",
            Self::Timeout => "not answered in time",
            Self::Connection => "without a connection",
            Self::Cut => "answered in part only",
            Self::TooLarge => "answered at too great a length",
            Self::NotJson => "answered with something other than JSON",
            Self::Schema => "answered without an answer where it should be",
        }
        .to_owned()
    }

    /// Nothing for what is not the service's doing.
    pub(super) fn of(fault: &Fault) -> Option<Self> {
        Some(match fault.kind {
            FaultKind::Refused => Self::Refused(fault.status.unwrap_or_default()),
            FaultKind::RateLimited => Self::RateLimited,
            FaultKind::ServerError => Self::ServerError,
            FaultKind::Timeout => Self::Timeout,
            FaultKind::Connection => Self::Connection,
            FaultKind::Cut => Self::Cut,
            FaultKind::TooLarge => Self::TooLarge,
            FaultKind::NotJson => Self::NotJson,
            FaultKind::Schema => Self::Schema,
            FaultKind::Spent | FaultKind::GivenUp | FaultKind::Interrupted | FaultKind::Store => {
                return None;
            }
        })
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
    pub fn failures(&self) -> u64 {
        self.failed.values().sum()
    }

    pub(super) fn add_tokens(&mut self, tokens: &Tokens) {
        self.tokens_in += tokens.sent;
        self.tokens_out += tokens.received;
        self.tokens_estimated += u64::from(tokens.estimated);
    }

    /// Counts outcomes that are settled.
    pub(super) fn count(&mut self, outcome: &Outcome, stored: bool) {
        match outcome {
            Outcome::Answered(_) if stored => self.from_store += 1,
            Outcome::Answered(_) => self.answered += 1,
            Outcome::Failed { kind, .. } => *self.failed.entry(*kind).or_default() += 1,
            Outcome::NotAsked => self.not_asked += 1,
        }
    }
}
