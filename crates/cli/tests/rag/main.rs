//! Retrieval services from the outside: audits of the embedded service and of hostile ones,
//! resuming, budgets, refusals.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_input;
#[path = "../classifier/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod beside;
mod budget;
mod certificates;
mod chance;
mod changed;
mod controls;
mod demo;
mod elsewhere;
mod empty;
mod example;
mod hostile;
mod indirect;
mod killed;
mod languages;
#[path = "../classifier/page.rs"]
#[allow(dead_code)] // shared with the tests of training
mod page;
mod persons;
mod proposed;
mod refusing;
mod service;
mod sma;
mod transcripts;
mod unknown;
