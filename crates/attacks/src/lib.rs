//! Attacks: pure functions from signals to scores, one file per attack.
//!
//! Deliberately absent: files, clocks, networks, and the truth. Whoever wants to know whether a
//! score was right asks the `judge` crate.

pub mod scores;
pub mod signals;
