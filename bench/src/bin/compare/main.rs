//! `compare attacks` and `compare training`: our speed beside the field's usual tools, on the same
//! data, in the same run. `cargo xtask bench` sees to it that `python3` has them.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod attacks;
mod training;

use std::process::ExitCode;

use guestlist_bench::{Failed, ended};

fn main() -> ExitCode {
    ended(match std::env::args().nth(1).as_deref() {
        Some("attacks") => attacks::compare(),
        Some("training") => training::compare(),
        _ => Err(Failed("`compare` wants attacks or training".into())),
    })
}
