//! A retrieval service: what a run would send, and the run. `guestlist rag-server` serves one to try it on.
//!
//! `cargo run --example rag -- guestlist.toml`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::Progress;
use guestlist::pipeline::{RunOptions, plan, run};

fn main() -> guestlist::Result<()> {
    let config = std::env::args_os()
        .nth(1)
        .unwrap_or("guestlist.toml".into());
    let (options, progress) = (RunOptions::default(), Progress::unwatched());
    println!("{}", plan(config.as_ref(), &options, progress)?);
    let finished = run(config.as_ref(), &options, progress)?;
    println!("{}", guestlist::report::markdown(&finished.audit.report));
    Ok(())
}
