//! Attacks: pure functions from signals to scores, one file per attack or family.
//!
//! Deliberately absent: files, clocks, networks, and the truth. Whoever wants to know whether a
//! score was right asks the `judge` crate.

pub mod card;
pub mod episodes;
pub mod error;
pub mod probes;
pub mod scores;
pub mod settings;
pub mod shadow;
pub mod signals;
pub mod sources;
pub mod tokens;
pub mod watch;
