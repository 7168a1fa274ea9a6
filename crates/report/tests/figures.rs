//! Figures of stored reports: well-formed, harmless, inside their frame, and true to the report.

#![allow(clippy::unwrap_used)] // helpers of tests are tests too

extern crate guestlist_report as report;

#[path = "figures/drawn.rs"]
mod drawn;
#[path = "figures/pictures.rs"]
mod pictures;
#[path = "figures/stored.rs"]
mod stored;
#[path = "figures/truth.rs"]
mod truth;
