//! `guestlist completions`: a script for the shell.

use clap::CommandFactory;
use guestlist::{Error, ExitCode};

use super::arguments::{Arguments, Completions};
use super::console::Console;

pub fn run(options: &Completions, console: &Console) -> Result<ExitCode, Error> {
    let mut script = Vec::new();
    clap_complete::generate(
        options.shell,
        &mut Arguments::command(),
        "guestlist",
        &mut script,
    );
    console.data(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::Pass)
}
