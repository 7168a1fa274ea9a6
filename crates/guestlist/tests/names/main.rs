//! Nobody's name is in the report: audits of every kind, whose ids and texts hold a word that must turn
//! up in no file that is made to be read, unless it was asked for.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod audited;
#[path = "../training/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod modes;
#[path = "../cli/npy.rs"]
#[allow(dead_code)] // shared with the tests of the command line
mod npy;
mod run;
mod searched;
#[path = "../retrieval/service.rs"]
#[allow(dead_code)] // shared with the tests of retrieval services
mod service;
#[path = "../cli/signals.rs"]
#[allow(dead_code)] // shared with the tests of the command line
mod signals;
#[path = "../fewshot/vectors.rs"]
#[allow(dead_code)] // shared with the tests of few-shot audits
mod vectors;
#[path = "../source/world.rs"]
#[allow(dead_code)] // shared with the tests of sources
mod world;
