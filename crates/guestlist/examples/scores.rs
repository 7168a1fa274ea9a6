//! Scores that another program made: a verdict on them, and the files of a report.
//!
//! `cargo run --example scores -- scores.csv`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::{AuditRequest, Kind, Progress, audit};

fn main() -> guestlist::Result<()> {
    let scores = std::env::args_os().nth(1).unwrap_or("scores.csv".into());
    let request = AuditRequest {
        kind: Some(Kind::Scores),
        out: Some("audit".into()),
        ..AuditRequest::default()
    };
    let finished = audit(scores, &request, Progress::unwatched())?;
    println!(
        "{:?}: {:?}",
        finished.audit.report.verdict.outcome, finished.files
    );
    Ok(())
}
