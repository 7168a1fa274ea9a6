//! Why there is no answer.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind};

/// One request's answer, or why there is none.
pub(crate) type Attempt<T> = std::result::Result<T, Fault>;

/// How a service failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// A status that does not pass by itself.
    Refused(u16),
    RateLimited,
    ServerError,
    Timeout,
    /// No connection, or one that ended before the answer began.
    Connection,
    /// The answer broke off.
    Cut,
    /// Larger than anything we read.
    TooLarge,
    NotJson,
    /// JSON without what we look for.
    Schema,
    /// Others were to ask it, and brought no answer.
    Missing,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Refused(status) => return write!(f, "refused with status {status}"),
            Self::RateLimited => "turned away as too many requests",
            Self::ServerError => "met an error of the service",
            Self::Timeout => "not answered in time",
            Self::Connection => "without a connection",
            Self::Cut => "answered in part only",
            Self::TooLarge => "answered at too great a length",
            Self::NotJson => "answered with something other than JSON",
            Self::Schema => "answered without an answer where it should be",
            Self::Missing => "not among the answers",
        })
    }
}

impl FailureKind {
    /// By a status that is not success.
    pub(crate) fn from_status(status: u16) -> Self {
        match status {
            429 => Self::RateLimited,
            408 | 425 | 500.. => Self::ServerError,
            _ => Self::Refused(status),
        }
    }
}

/// Whose doing it is that there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    Service(FailureKind),
    /// No request of the budget is left.
    Spent,
    /// The service has failed too often in a row.
    GivenUp,
    Interrupted,
    /// Our own: a setting is wrong, or the store cannot be written.
    Ours,
}

#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    /// Elsewhere, because most attempts succeed.
    pub error: Box<Error>,
    pub status: Option<u16>,
    /// Whether asking again may help.
    pub passing: bool,
    /// How long the server wants to be left alone.
    pub after: Option<Duration>,
    /// Set aside after its first try: it is asked again once all others were.
    pub aside: bool,
}

impl Fault {
    /// The service's, without a status.
    pub fn new(kind: FailureKind, error: Error, passing: bool) -> Self {
        Self {
            passing,
            ..Self::lasting(FaultKind::Service(kind), error)
        }
    }

    pub fn ours(error: Error) -> Self {
        Self::lasting(FaultKind::Ours, error)
    }

    pub fn lasting(kind: FaultKind, error: Error) -> Self {
        Self {
            kind,
            error: Box::new(error),
            status: None,
            passing: false,
            after: None,
            aside: false,
        }
    }

    pub fn interrupted() -> Self {
        let error = Error::new(
            ErrorKind::Interrupted,
            "stopped before everything was asked",
        )
        .hint("run again to go on: what came is kept");
        Self::lasting(FaultKind::Interrupted, error)
    }

    pub fn map_error(mut self, change: impl FnOnce(Error) -> Error) -> Self {
        *self.error = change(*self.error);
        self
    }

    /// How the service failed, where it was the service.
    pub fn failure(&self) -> Option<FailureKind> {
        match self.kind {
            FaultKind::Service(kind) => Some(kind),
            _ => None,
        }
    }

    /// Whether the service answered that it met an error, which may be this question's doing, and
    /// named no time to wait.
    pub fn may_be_one_questions(&self) -> bool {
        self.passing && self.after.is_none() && self.failure() == Some(FailureKind::ServerError)
    }

    /// Whether the service was well and refused this one question, too long or improper.
    pub fn is_one_questions(&self) -> bool {
        let improper = FailureKind::Refused;
        [400, 413, 414, 422, 451]
            .map(improper)
            .contains(match &self.kind {
                FaultKind::Service(kind) => kind,
                _ => return false,
            })
    }
}
