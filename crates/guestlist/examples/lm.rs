//! A language model: texts are scored as the configuration says, and judged.
//!
//! `cargo run --example lm -- guestlist.toml`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::{Extra, Progress, RunOptions, run};

fn main() -> guestlist::Result<()> {
    let config = std::env::args_os()
        .nth(1)
        .unwrap_or("guestlist.toml".into());
    let options = RunOptions {
        extras: vec![Extra::Figures, Extra::Junit],
        ..RunOptions::default()
    };
    let finished = run(config, &options, Progress::unwatched())?;
    println!(
        "{:?}: {:?}",
        finished.audit.report.verdict.outcome, finished.files
    );
    Ok(())
}
