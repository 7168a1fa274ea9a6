//! Attacks: pure functions from signals to scores, one file per attack or family.
//!
//! Deliberately absent: files, clocks, networks, and the truth. Whoever wants to know whether a
//! score was right asks the `judge` crate.

pub mod card;
pub mod classifier;
pub mod fewshot;
pub mod lm;
pub mod rag;
pub mod registry;
pub mod scores;
pub mod settings;
pub mod signals;
pub mod source;

pub use registry::Attack;
