//! A few records with known membership: the audit of a model's features.
//!
//! `cargo run --example fewshot -- features.npz`

#![allow(clippy::print_stdout)] // it shows what it found

use std::ffi::OsStr;

use guestlist::{AuditRequest, Kind, Progress, Report};

pub fn audit(features: &OsStr, runs: usize) -> guestlist::Result<Report> {
    let request = AuditRequest {
        kind: Some(Kind::Fewshot),
        shots: vec![1, 5, 10],
        runs: Some(runs),
        ..AuditRequest::default()
    };
    Ok(guestlist::audit(features, &request, Progress::unwatched())?
        .audit
        .report)
}

fn main() -> guestlist::Result<()> {
    let features = std::env::args_os().nth(1).unwrap_or("features.npz".into());
    let report = audit(&features, 500)?;
    println!("{}", guestlist::report::markdown(&report));
    Ok(())
}
