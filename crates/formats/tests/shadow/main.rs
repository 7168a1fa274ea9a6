//! Readers and writers of shadow signals, from the outside.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_formats as formats;

mod common;
mod fixtures;
mod folders;
mod parquet_refusals;
mod refusals;
mod round_trip;
mod signals;
