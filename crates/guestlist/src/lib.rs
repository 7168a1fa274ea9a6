//! guestlist: who was on the guest list?
//!
//! The façade: signals are collected, attacks turn signals into scores without seeing the truth,
//! the judge alone opens the truth, the report only prints. The command line and every binding
//! are thin layers over this crate.

pub mod audit;
pub mod config;
pub mod demo;
pub mod difference;
mod error;
pub mod fewshot;
pub mod init;
pub mod language;
pub mod registry;
pub mod retrieval;
pub mod run;
pub mod source;

pub use error::{Error, ExitCode};
