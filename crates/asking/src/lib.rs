//! Asking: questions to services and servers over HTTP. Every answer is on the disk before anybody
//! uses it, and nothing is asked twice.
//!
//! Deliberately absent: what is asked and what answers mean. Questions come from attacks, answers
//! go back to them.

pub mod campaign;
pub mod http;
pub mod lm;
pub mod rag;
pub mod store;

pub use base::{Error, ErrorKind, Result};
