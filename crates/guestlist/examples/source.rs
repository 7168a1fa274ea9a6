//! Where a service has its answers from: the run, and its transcript judged again with another gate.
//!
//! `cargo run --example source -- guestlist.toml`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::{AuditRequest, Progress, RunOptions, audit, run};

fn main() -> guestlist::Result<()> {
    let config = std::env::args_os()
        .nth(1)
        .unwrap_or("guestlist.toml".into());
    let finished = run(config, &RunOptions::default(), Progress::unwatched())?;
    println!("{}", guestlist::report::markdown(&finished.audit.report));
    let mut strict = AuditRequest::default();
    strict.options.threshold = Some(0.55);
    let transcript = "guestlist-run/transcript.jsonl";
    let again = audit(transcript, &strict, Progress::unwatched())?;
    println!("below 0.55: {:?}", again.audit.report.verdict.outcome);
    Ok(())
}
