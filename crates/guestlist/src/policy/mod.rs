//! A policy as a file: read with its digest, every mistake named with its line.
//!
//! `file.rs` is what may be written, `init.rs` what `guestlist init policy` writes, `check.rs` judges
//! a stored report.

mod check;
mod file;
mod init;

pub use check::{Checked, check};
pub use file::{most, read};
pub use init::{Preset, policy};
