//! guestlist: who was on the guest list?
//!
//! The library: signals are collected, attacks turn signals into scores without seeing the truth,
//! the judge alone opens the truth, the report only prints. The command line and every binding
//! are thin layers over this crate.

pub mod catalogue;
pub mod diff;
mod error;
pub mod init;
pub mod kinds;
pub mod pipeline;

pub use base::{Error, ErrorKind, Result};
pub use error::ExitCode;
