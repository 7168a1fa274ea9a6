//! Why there is no answer.

use std::time::Duration;

use crate::{Error, ErrorKind};

/// What went wrong, for code that must tell cases apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// A status that will not change by itself.
    Refused,
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
    /// No request of the budget is left.
    Spent,
    /// The service has failed too often in a row.
    GivenUp,
    Interrupted,
    /// Our own store cannot be written.
    Store,
}

impl FaultKind {
    /// Whether it says something about the service, rather than about us.
    pub fn of_service(self) -> bool {
        !matches!(
            self,
            Self::Spent | Self::GivenUp | Self::Interrupted | Self::Store
        )
    }

    /// By a status that is not success.
    pub fn of_status(status: u16) -> Self {
        match status {
            429 => Self::RateLimited,
            408 | 425 | 500.. => Self::ServerError,
            _ => Self::Refused,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    pub error: Error,
    pub status: Option<u16>,
    /// Whether asking again may help.
    pub passing: bool,
    /// How long the server wants to be left alone.
    pub after: Option<Duration>,
}

impl Fault {
    /// One that has no status and asks for no wait.
    pub fn new(kind: FaultKind, error: Error, passing: bool) -> Self {
        Self {
            kind,
            error,
            status: None,
            passing,
            after: None,
        }
    }

    /// Whether the service was well and refused this one question, too long or improper.
    pub fn one_questions(&self) -> bool {
        self.kind == FaultKind::Refused && matches!(self.status, Some(400 | 413 | 414 | 422 | 451))
    }

    pub fn interrupted() -> Self {
        let error = Error::new(
            ErrorKind::Interrupted,
            "stopped before everything was asked",
        )
        .hint("run again to go on: what came is kept");
        Self::new(FaultKind::Interrupted, error, false)
    }
}
