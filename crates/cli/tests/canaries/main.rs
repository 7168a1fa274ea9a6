//! Canaries from the outside: what is drawn, what is sealed, what is found before training.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod checks;
#[path = "../commands/common.rs"]
#[allow(dead_code)] // shared with the tests of commands
mod common;
#[path = "../commands/npy.rs"]
#[allow(dead_code)]
mod npy;
mod records;
#[path = "../commands/signals.rs"]
#[allow(dead_code)]
mod signals;
mod texts;
mod world;
