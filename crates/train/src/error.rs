//! What can go wrong in training, in words a user can act on.

/// Why a model could not be trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The records cannot be trained on.
    Data,
    /// The network, its tensors or the buffer for its outputs do not fit.
    Shape,
    /// A setting has a value that makes no sense.
    Setting,
    /// The loss left the numbers.
    Diverged,
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
    pub(crate) fn data(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message.into(), hint.into())
    }

    pub(crate) fn shape(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Shape, message.into(), hint.into())
    }

    pub(crate) fn setting(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(ErrorKind::Setting, message.into(), hint.into())
    }

    pub(crate) fn diverged(epoch: u32) -> Self {
        Self::new(
            ErrorKind::Diverged,
            format!("training diverged in epoch {epoch}: the loss or a weight is not finite"),
            "lower the learning rate, scale the features, or set a gradient clip norm".into(),
        )
    }

    pub(crate) fn interrupted() -> Self {
        Self {
            kind: ErrorKind::Interrupted,
            message: "interrupted".into(),
            hint: None,
        }
    }

    fn new(kind: ErrorKind, message: String, hint: String) -> Self {
        Self {
            kind,
            message,
            hint: Some(hint),
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
