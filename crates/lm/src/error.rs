//! The one error of this room: what kind, where, what happened, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, for code that must tell cases apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file, folder or tensor is not there.
    NotFound,
    /// The system would not let us read.
    Unreadable,
    /// The input is there but broken: truncated, not finite, not JSON.
    Malformed,
    /// Two parts of the input contradict each other.
    Mismatch,
    /// The input is sound but nothing here computes with it.
    Unsupported,
    /// A text cannot be scored or continued: too short, too long, or a token the model does not
    /// have.
    Text,
    /// A setting makes no sense.
    Setting,
    /// The device could not do the work.
    Device,
}

/// Shown as `model.safetensors: what happened; hint: what to do`.
#[derive(Clone, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub path: Option<PathBuf>,
    pub hint: Option<String>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            path: None,
            hint: None,
        }
    }

    pub fn at(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, message)
    }

    pub(crate) fn mismatch(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Mismatch, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    pub(crate) fn missing(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    pub(crate) fn text(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Text, message)
    }

    pub(crate) fn setting(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Setting, message)
    }

    pub(crate) fn reading(path: &Path, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::missing("no such file or folder")
                .at(path)
                .hint("check the spelling and the folder you are in"),
            io::ErrorKind::PermissionDenied => {
                Self::new(ErrorKind::Unreadable, "permission to read was denied")
                    .at(path)
                    .hint("ask the file's owner for permission to read it")
            }
            _ => Self::new(ErrorKind::Unreadable, format!("cannot be read: {error}")).at(path),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", path.display())?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_place_cause_and_remedy_in_one_line() {
        let error = Error::missing("there is no config.json")
            .at(Path::new("model"))
            .hint("name the folder that holds it");
        assert_eq!(
            error.to_string(),
            "model: there is no config.json; hint: name the folder that holds it"
        );
    }
}
