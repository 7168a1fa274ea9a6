//! From data to a verdict, from the outside: `init`, `plan`, `run`, `work`, `demo`.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_input;
mod bench;
mod demo;
mod duplicates;
mod killed;
mod private;
mod program;
mod stale;
mod start;
mod wrong_labels;
