//! Language models from the outside: token signals, checkpoints, resuming, refusals.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_models;
mod bad_texts;
#[path = "../classifier/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod canaries;
mod changed_server;
mod checkpoints;
mod demo;
mod drawn;
#[path = "../../../asking/tests/lm/fake.rs"]
#[allow(dead_code)] // shared with the tests of servers
mod fake;
mod features;
mod killed;
#[path = "../classifier/page.rs"]
#[allow(dead_code)] // shared with the tests of training
mod page;
mod persons;
mod shadow;
mod shelf;
#[path = "../../../asking/tests/lm/simulated.rs"]
#[allow(dead_code)]
mod simulated;
mod study;
mod token_files;
mod unknown;
mod weak_access;
