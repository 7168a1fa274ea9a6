//! Why a model could not be trained, in words a user can act on.

use base::{Error, ErrorKind};

/// The records cannot be trained on.
pub(crate) fn data(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::malformed(message).hint(hint)
}

/// The network, its tensors or the buffer for its outputs do not fit.
pub(crate) fn shape(message: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::mismatch(message).hint(hint)
}

/// The loss left the numbers.
pub(crate) fn diverged(epoch: u32) -> Error {
    Error::new(
        ErrorKind::Diverged,
        format!("training diverged in epoch {epoch}: the loss or a weight is not finite"),
    )
    .hint("lower the learning rate, scale the features, or set a gradient clip norm")
}
