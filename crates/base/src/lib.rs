//! What every room may speak: the one error type.
//!
//! Deliberately absent: everything else. A room that needs more of another room depends on it.

mod error;

pub use error::{Error, ErrorKind, Result};
