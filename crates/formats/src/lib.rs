//! Formats: readers and writers of arrays, tables, signals, texts, documents and scores; what is
//! mapped, what is copied.
//!
//! Deliberately absent: attacks, judgement, and networks but for objects in a store, which the feature
//! `object-store` reads by ranges. A reader checks that its input is whole and hands it on; whether it is
//! enough for an audit is for the `judge`.

pub mod array;
pub mod calls;
mod convert;
pub mod data;
pub mod element;
pub mod environment;
pub mod features;
pub mod fields;
pub mod files;
pub mod foreign;
pub mod ids;
pub mod in_memory;
pub mod left_out;
pub mod lines;
pub mod memory;
pub mod npy;
#[cfg(feature = "object-store")]
mod objects;
pub mod parts;
pub mod persons;
pub mod private;
pub mod records_file;
pub mod rows;
pub mod scores;
pub mod shadow;
pub mod texts;
pub mod tokens;
pub mod vulnerability;

pub use base::{Error, ErrorKind, Result};
