//! Few-shot audits from the outside: features in files, models in folders, the demonstration.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod audits;
mod bad_files;
#[path = "../classifier/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod example;
mod files;
mod models;
mod stopped;
mod vectors;
