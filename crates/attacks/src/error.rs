//! What can go wrong in an attack, in words a user can act on.

/// Why an attack could not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The signals lack what the attack needs.
    MissingAccess,
    /// A setting has a value that makes no sense.
    Setting,
    /// The user asked to stop.
    Interrupted,
}

/// An error with its remedy.
#[derive(Clone, Debug)]
pub struct Error {
    pub kind: ErrorKind,
    pub message: String,
    pub hint: Option<String>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn missing_access(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::MissingAccess,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    pub fn setting(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            kind: ErrorKind::Setting,
            message: message.into(),
            hint: Some(hint.into()),
        }
    }

    pub fn interrupted() -> Self {
        Self {
            kind: ErrorKind::Interrupted,
            message: "interrupted".into(),
            hint: None,
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
