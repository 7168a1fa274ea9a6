//! The one error of every room: what kind, where, what happened, what to do about it, and what
//! caused it.

use std::error::Error as Cause;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::masked::masked;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, for code that must tell cases apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// What was asked for does not fit the input.
    Usage,
    /// A file, folder, array, column or tensor is not there.
    NotFound,
    /// The system would not let us read.
    Unreadable,
    /// The input is there but broken: truncated, not finite, not 0 or 1.
    Malformed,
    /// Two parts of the input contradict each other.
    Mismatch,
    /// The input is sound but nothing here reads, writes or computes with it.
    Unsupported,
    /// The caller asked for something that the input does not have.
    OutOfRange,
    /// The output exists already.
    Exists,
    /// The system would not let us write.
    Write,
    /// A setting makes no sense, or two do not go together.
    Setting,
    /// The signals lack what an attack needs.
    MissingAccess,
    /// A model could not be trained.
    Training,
    /// The loss left the numbers.
    Diverged,
    /// What models are made from was changed while they were trained.
    Changed,
    /// A text cannot be scored or continued: too short, too long, or a token the model does not
    /// have.
    Text,
    /// A device or a language model could not do the work.
    Device,
    /// A server could not be reached, refused, or sent what cannot be used.
    Server,
    /// An address cannot be served.
    Address,
    /// Somebody asked to stop.
    Interrupted,
}

/// Shown as `location.npz: what happened; hint: what to do`. A cause is not part of that line: see
/// [`Error::explained`].
#[derive(Clone, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub path: Option<PathBuf>,
    pub hint: Option<String>,
    /// Which of the texts handed in, from 0, where one of them is at fault.
    pub text: Option<usize>,
    /// Of an interruption: the message says what is kept of the work.
    pub says_kept: bool,
    /// Lines of a program that mend it, to be shown below.
    pub example: Option<Arc<String>>,
    /// What it came from, as [`std::error::Error::source`] hands it on.
    pub cause: Option<Arc<dyn Cause + Send + Sync>>,
}

impl Error {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            path: None,
            hint: None,
            text: None,
            says_kept: false,
            example: None,
            cause: None,
        }
    }

    /// Where it happened; what a program holds in memory has an empty path, and none is shown.
    pub fn at(mut self, path: &Path) -> Self {
        self.path = (!path.as_os_str().is_empty()).then(|| path.to_owned());
        self
    }

    /// Where it happened, unless somebody closer to it has said so.
    pub fn within_file(self, path: &Path) -> Self {
        match self.path {
            Some(_) => self,
            None => self.at(path),
        }
    }

    /// What the message is about.
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Lines of a program that mend it.
    pub fn example(mut self, lines: impl Into<String>) -> Self {
        self.example = Some(Arc::new(lines.into()));
        self
    }

    /// What it came from.
    pub fn caused_by(mut self, cause: impl Cause + Send + Sync + 'static) -> Self {
        self.cause = Some(Arc::new(cause));
        self
    }

    pub fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, message).hint(hint)
    }

    pub fn setting(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Setting, message).hint(hint)
    }

    /// What was given cannot be judged.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::malformed(message).hint(hint)
    }

    pub fn missing_access(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::MissingAccess, message).hint(hint)
    }

    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Malformed, message)
    }

    pub fn mismatch(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Mismatch, message)
    }

    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, message)
    }

    pub fn missing(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// Somebody asked to stop, and nothing is left of the work.
    pub fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted; nothing was written")
    }

    /// Somebody asked to stop, and what was done so far is kept, as the message says.
    pub fn stopped(message: impl Into<String>) -> Self {
        Self {
            says_kept: true,
            ..Self::new(ErrorKind::Interrupted, message)
        }
    }

    pub fn is_interruption(&self) -> bool {
        self.kind == ErrorKind::Interrupted
    }

    pub fn reading(path: &Path, error: &io::Error) -> Self {
        let read = match error.kind() {
            io::ErrorKind::NotFound => Self::missing("no such file or folder")
                .hint("check the spelling and the folder you are in"),
            io::ErrorKind::PermissionDenied => {
                Self::new(ErrorKind::Unreadable, "permission to read was denied")
                    .hint("ask the file's owner for permission to read it")
            }
            _ => Self::new(ErrorKind::Unreadable, "cannot be read").caused_by(copied(error)),
        };
        read.at(path)
    }

    pub fn writing(path: &Path, error: &io::Error) -> Self {
        Self::new(ErrorKind::Write, "cannot be written")
            .caused_by(copied(error))
            .at(path)
            .hint("check that the folder exists, is writable and has room")
    }

    /// The path of a temporary buffer means nothing to the user.
    pub fn buffering(error: &io::Error) -> Self {
        Self::new(ErrorKind::Write, "the temporary buffer cannot be written")
            .caused_by(copied(error))
            .hint("make room in the temporary folder, or set TMPDIR to one that has room")
    }

    /// The whole of it for a person: place, message, every cause, and the first hint there is.
    pub fn explained(&self) -> String {
        let mut line = self.without_hint();
        let mut hint = self.hint.clone();
        let mut cause = Cause::source(self);
        while let Some(error) = cause {
            match error.downcast_ref::<Error>() {
                Some(ours) => {
                    line += &format!(": {}", ours.without_hint());
                    hint = hint.or_else(|| ours.hint.clone());
                }
                None => line += &format!(": {error}"),
            }
            cause = error.source();
        }
        match hint {
            Some(hint) => format!("{line}; hint: {}", masked(&hint)),
            None => line,
        }
    }

    /// Paths and messages may hold the address of an input, and that a password.
    fn without_hint(&self) -> String {
        let line = match &self.path {
            Some(path) => format!("{}: {}", path.display(), self.message),
            None => self.message.clone(),
        };
        masked(&line).into_owned()
    }
}

/// Errors of the system cannot be cloned; their words and codes can.
fn copied(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.without_hint())?;
        match &self.hint {
            Some(hint) => write!(f, "; hint: {}", masked(hint)),
            None => Ok(()),
        }
    }
}

impl Cause for Error {
    fn source(&self) -> Option<&(dyn Cause + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_place_cause_and_remedy_in_one_line() {
        let error = Error::mismatch("phi has 5010 records but keep has 5000")
            .at(Path::new("location.npz"))
            .hint("both must be [models, records]");
        let line = "location.npz: phi has 5010 records but keep has 5000; \
                    hint: both must be [models, records]";
        assert_eq!(error.to_string(), line);
        assert_eq!(error.explained(), line);
    }

    #[test]
    fn no_password_of_an_address_is_told() {
        let input = Path::new("s3://KEY:SECRET@bucket/x");
        let missing = io::Error::from(io::ErrorKind::NotFound);
        let error = Error::reading(input, &missing).hint(format!("look at {}", input.display()));
        for told in [error.to_string(), error.explained()] {
            assert!(!told.contains("SECRET") && !told.contains("KEY"), "{told}");
            assert_eq!(told.matches("s3://***@bucket/x").count(), 2, "{told}");
        }
    }

    #[test]
    fn a_cause_is_told_once() {
        let full = io::Error::from_raw_os_error(28);
        let error = Error::writing(Path::new("out"), &full);
        assert!(!error.to_string().contains("28"), "{error}");
        let told = error.explained();
        assert_eq!(told.matches("os error 28").count(), 1, "{told}");
        assert!(told.contains("out: cannot be written: "), "{told}");
        assert!(told.ends_with("is writable and has room"), "{told}");
        assert!(Cause::source(&error).is_some());
    }

    #[test]
    fn a_hint_of_the_cause_serves_where_there_is_no_other() {
        let inner = Error::malformed("line 3 is no number").hint("write 3");
        let outer = Error::malformed("the table is broken").caused_by(inner);
        assert_eq!(
            outer.explained(),
            "the table is broken: line 3 is no number; hint: write 3"
        );
    }

    #[test]
    fn who_is_closer_to_the_fault_names_the_file() {
        let error = Error::malformed("x").within_file(Path::new("a"));
        let error = error.within_file(Path::new("b")).within("model 3");
        assert_eq!(error.to_string(), "a: model 3: x");
    }
}
