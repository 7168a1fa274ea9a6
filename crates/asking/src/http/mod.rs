//! Speaking HTTP with services that are not ours: one client for all rooms that ask, secrets that
//! are never shown, and nothing trusted that comes back.
//!
//! Deliberately absent: what is asked and what an answer means. Each room has its own.

pub(crate) mod address;
mod certificate;
pub(crate) mod client;
pub(crate) mod printable;
pub(crate) mod secret;
mod service;

pub use printable::printable;
pub use secret::Secret;
pub use service::{Refusal, Service};
