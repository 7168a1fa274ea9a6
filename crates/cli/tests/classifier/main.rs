//! From data to a verdict, from the outside: `init`, `plan`, `run`, `work`, `demo`.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_input;
mod bench;
mod claims;
mod demo;
mod duplicates;
mod evidence;
mod killed;
mod offline;
mod page;
mod persons;
mod private;
mod program;
mod server;
mod serving;
mod stale;
mod start;
mod unserviceable;
mod wrong_labels;
