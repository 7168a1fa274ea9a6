//! Collecting: everything that touches the world to obtain signals, and the writers of what
//! an audit leaves on disk.
//!
//! Deliberately absent: attacks, judgement and words for people. A reader checks that its
//! input is whole and hands it on; whether it is enough for an audit is for the `judge`.

mod array;
pub mod data;
mod element;
mod error;
pub mod features;
pub mod files;
pub mod held;
mod http;
pub mod language;
mod lines;
mod memory;
mod npy;
pub mod private;
pub mod rag;
pub mod scores;
pub mod shadow;
pub mod store;
pub mod training;
pub mod vulnerability;

pub use error::{Error, ErrorKind, Result};
