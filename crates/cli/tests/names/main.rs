//! Nobody's name is in the report: audits of every kind, whose ids and texts hold a word that must turn
//! up in no file that is made to be read, unless it was asked for.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod audited;
#[path = "../classifier/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod modes;
#[path = "../commands/npy.rs"]
#[allow(dead_code)] // shared with the tests of the command line
mod npy;
mod run;
mod searched;
#[path = "../rag/service.rs"]
#[allow(dead_code)] // shared with the tests of retrieval services
mod service;
#[path = "../commands/signals.rs"]
#[allow(dead_code)] // shared with the tests of the command line
mod signals;
#[path = "../fewshot/vectors.rs"]
#[allow(dead_code)] // shared with the tests of few-shot audits
mod vectors;
#[path = "../source/world.rs"]
#[allow(dead_code)] // shared with the tests of sources
mod world;
