//! Scores that another program made: a verdict on them, and the files of a report.
//!
//! `cargo run --example scores -- scores.csv`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::pipeline::{AuditRequest, audit};
use guestlist::{Kind, Progress};

fn main() -> guestlist::Result<()> {
    let scores = std::env::args_os().nth(1).unwrap_or("scores.csv".into());
    let request = AuditRequest {
        kind: Some(Kind::Scores),
        out: Some("audit".into()),
        ..AuditRequest::default()
    };
    let finished = audit(scores.as_ref(), &request, Progress::unwatched())?;
    println!(
        "{:?}: {:?}",
        finished.audit.report.verdict.outcome, finished.files
    );
    Ok(())
}
