//! Readers of data sets, from the outside.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_formats as formats;

mod arrays;
#[allow(dead_code)] // these tests use some of what the other tests need
#[path = "../shadow/common.rs"]
mod common;
mod file_formats;
mod groups;
mod helpers;
mod refusals;
mod text;
