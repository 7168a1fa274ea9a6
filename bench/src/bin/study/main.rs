//! `cargo xtask study rag`: attacks on retrieval services against defences; docs/study-rag.md.
//! `cargo xtask study rag-nulls`: whether they hold their level; a table of docs/guide-rag.md.
//! `cargo xtask study tables`: what follows from formulas and simulations alone; tables of several guides.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod calls;
mod noise;
mod nulls;
mod rag;
mod tables;

use std::process::ExitCode;

use guestlist_bench::{Failed, ended};

fn main() -> ExitCode {
    ended(run(std::env::args().skip(1)))
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Failed> {
    match arguments.next().as_deref() {
        Some("rag") => rag::run(arguments),
        Some("rag-nulls") => nulls::run(arguments),
        Some("tables") => tables::run(),
        _ => Err(Failed(
            "`cargo xtask study` wants bavaria, few-shot, ez, rag, rag-nulls, rag-requests or tables"
                .into(),
        )),
    }
}
