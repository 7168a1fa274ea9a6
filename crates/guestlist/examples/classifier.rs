//! A classifier: shadow models are trained as the configuration says, and each as it ends is told.
//!
//! `cargo run --example classifier -- guestlist.toml`

#![allow(clippy::print_stdout)] // it shows what it found

use guestlist::{Cancel, Event, Progress, RunOptions, Sink, run};

struct Printer;

impl Sink for Printer {
    fn receive(&self, event: &Event<'_>) {
        if let Event::ModelFinished { model } = event {
            println!("model {model} is trained");
        }
    }
}

fn main() -> guestlist::Result<()> {
    let config = std::env::args_os()
        .nth(1)
        .unwrap_or("guestlist.toml".into());
    let cancel = Cancel::new();
    let finished = run(
        config,
        &RunOptions::default(),
        Progress::new(&Printer, &cancel),
    )?;
    println!("{}", guestlist::report::markdown(&finished.audit.report));
    Ok(())
}
