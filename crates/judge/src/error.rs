//! What the judge says when it cannot judge: what is wrong, and what to do about it.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    pub message: String,
    pub hint: String,
}

impl Error {
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Error {
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl Error {
    /// Says what the message is about.
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}; hint: {}", self.message, self.hint)
    }
}

impl std::error::Error for Error {}
