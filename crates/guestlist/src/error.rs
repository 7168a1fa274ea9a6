//! Every error of every room, with the exit code it ends the program with.

use std::fmt;

/// What the program tells the shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Pass = 0,
    Fail = 1,
    /// Wrong usage, configuration or input.
    Error = 2,
    Inconclusive = 3,
    Interrupted = 130,
}

/// Why an audit could not be done.
#[derive(Clone, Debug)]
pub enum Error {
    Collect(collect::Error),
    Attack(attacks::error::Error),
    Judge(judge::Error),
    Rag(rag::Error),
    /// What was asked for does not fit the input.
    Usage {
        message: String,
        hint: String,
    },
    Interrupted,
    /// Somebody asked to stop, and what was done so far is kept.
    Stopped {
        message: String,
    },
}

impl Error {
    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error::Usage {
            message: message.into(),
            hint: hint.into(),
        }
    }

    pub fn exit_code(&self) -> ExitCode {
        match self {
            Error::Interrupted | Error::Stopped { .. } => ExitCode::Interrupted,
            _ => ExitCode::Error,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Collect(error) => error.fmt(f),
            Error::Attack(error) => error.fmt(f),
            Error::Judge(error) => error.fmt(f),
            Error::Rag(error) => error.fmt(f),
            Error::Usage { message, hint } => write!(f, "{message}; hint: {hint}"),
            Error::Interrupted => f.write_str("interrupted; nothing was written"),
            Error::Stopped { message } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}

impl From<collect::Error> for Error {
    fn from(error: collect::Error) -> Self {
        Error::Collect(error)
    }
}

impl From<attacks::error::Error> for Error {
    fn from(error: attacks::error::Error) -> Self {
        if error.kind == attacks::error::ErrorKind::Interrupted {
            Error::Interrupted
        } else {
            Error::Attack(error)
        }
    }
}

impl From<judge::Error> for Error {
    fn from(error: judge::Error) -> Self {
        Error::Judge(error)
    }
}

impl From<rag::Error> for Error {
    fn from(error: rag::Error) -> Self {
        Error::Rag(error)
    }
}
