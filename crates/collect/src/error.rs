//! The one error of this room: what kind, where, what happened, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, for code that must tell cases apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file, folder, array or column is not there.
    NotFound,
    /// The system would not let us read.
    Unreadable,
    /// The input is there but broken: truncated, not finite, not 0 or 1.
    Malformed,
    /// Two parts of the input contradict each other.
    Mismatch,
    /// The input is sound but nothing here reads or writes it.
    Unsupported,
    /// The caller asked for something that the input does not have.
    OutOfRange,
    /// The output exists already.
    Exists,
    /// The system would not let us write.
    Write,
    /// A setting makes no sense, or two do not go together.
    Setting,
    /// A model could not be trained.
    Training,
    /// What models are made from was changed while they were trained.
    Changed,
    /// A server could not be reached, refused, or sent what cannot be used.
    Server,
    /// Somebody asked to stop.
    Interrupted,
}

/// Shown as `location.npz: what happened; hint: what to do`.
#[derive(Clone, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub path: Option<PathBuf>,
    pub hint: Option<String>,
    /// Which of the texts handed in, from 0, where one of them is at fault.
    pub text: Option<usize>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            path: None,
            hint: None,
            text: None,
        }
    }

    /// Where it happened; what a program holds in memory has an empty path, and none is shown.
    pub fn at(mut self, path: &Path) -> Self {
        self.path = (!path.as_os_str().is_empty()).then(|| path.to_owned());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same of a service that stands under another name in the configuration.
    pub fn of_target(mut self, name: &str) -> Self {
        let place = format!("{name}.");
        self.message = self.message.replace("target.", &place);
        self.hint = self.hint.map(|hint| hint.replace("target.", &place));
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

    pub(crate) fn writing(path: &Path, error: &io::Error) -> Self {
        Self::new(ErrorKind::Write, format!("cannot be written: {error}"))
            .at(path)
            .hint("check that the folder exists, is writable and has room")
    }

    /// The path of a temporary buffer means nothing to the user.
    pub(crate) fn buffering(error: &io::Error) -> Self {
        Self::new(
            ErrorKind::Write,
            format!("the temporary buffer cannot be written: {error}"),
        )
        .hint("make room in the temporary folder, or set TMPDIR to one that has room")
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
        let error = Error::mismatch("phi has 5010 records but keep has 5000")
            .at(Path::new("location.npz"))
            .hint("both must be [models, records]");
        assert_eq!(
            error.to_string(),
            "location.npz: phi has 5010 records but keep has 5000; \
             hint: both must be [models, records]"
        );
    }
}
