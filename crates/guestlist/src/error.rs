//! What a program tells the shell.

use base::Error;

/// How an audit ended, as the shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCode {
    Pass = 0,
    Fail = 1,
    /// Wrong usage, configuration or input.
    Error = 2,
    Inconclusive = 3,
    Interrupted = 130,
}

impl From<&Error> for ExitCode {
    fn from(error: &Error) -> Self {
        match error.is_interruption() {
            true => ExitCode::Interrupted,
            false => ExitCode::Error,
        }
    }
}
