//! Language models from the outside: token signals, checkpoints, resuming, refusals.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_models;
mod bad_texts;
#[path = "../training/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod checkpoints;
mod demo;
mod killed;
mod shelf;
mod token_files;
