//! Speaking HTTP with services that are not ours: one client for all rooms that ask, secrets that
//! are never shown, patience that does not press a service, and nothing trusted that comes back.
//!
//! Deliberately absent: what is asked and what an answer means. Each room has its own.

pub(crate) mod address;
pub(crate) mod breaker;
pub(crate) mod client;
pub(crate) mod fault;
pub(crate) mod patience;
pub(crate) mod secret;
pub(crate) mod words;

pub use secret::Secret;
