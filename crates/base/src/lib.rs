//! What every room may speak: the one error type, the events of long work, the wish to stop,
//! and programs that end with us.
//!
//! Deliberately absent: everything else. A room that needs more of another room depends on it.

mod cancel;
mod error;
mod event;
mod masked;
mod program;

pub use cancel::{Cancel, Cancelled};
pub use error::{Error, ErrorKind, Result};
pub use event::{Event, Progress, Sink, Unit};
pub use program::Guarded;
