//! Pages of the documentation that come from the code. These tests compare them; with
//! `GUESTLIST_WRITE_PAGES` set, as `cargo xtask gen` sets it, they write them.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

mod attacks;
mod configuration;
mod counts;
mod page;
mod schema;
mod study;
mod words;
