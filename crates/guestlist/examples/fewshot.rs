//! A few records with known membership: the audit of a model's features.
//!
//! `cargo run --example fewshot -- features.npz`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::pipeline::{AuditRequest, audit};
use guestlist::{Kind, Progress};

fn main() -> guestlist::Result<()> {
    let features = std::env::args_os().nth(1).unwrap_or("features.npz".into());
    let request = AuditRequest {
        kind: Some(Kind::Fewshot),
        shots: vec![1, 5, 10],
        ..AuditRequest::default()
    };
    let finished = audit(features.as_ref(), &request, Progress::unwatched())?;
    println!("{}", guestlist::report::markdown(&finished.audit.report));
    Ok(())
}
