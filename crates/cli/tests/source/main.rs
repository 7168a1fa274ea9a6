//! Sources of a service's answers from the outside: three sources told apart, stand-ins, early
//! stopping, pictures, resuming, transcripts, refusals.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod bad_input;
#[path = "../classifier/bench.rs"]
#[allow(dead_code)] // shared with the tests of training
mod bench;
mod echo;
mod embedded_service;
mod killed;
mod native_model;
mod pictures;
mod recorded;
mod repeats;
#[path = "../rag/service.rs"]
#[allow(dead_code)] // shared with the tests of retrieval services
mod service;
mod stopping;
mod three_sources;
mod world;
