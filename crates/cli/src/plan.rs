//! `guestlist plan`: what a run would do.

use guestlist::pipeline;
use guestlist::{Error, ExitCode};

use super::arguments::Plan;
use super::console::Console;
use super::progress::follow;

pub fn run(options: &Plan, console: &Console) -> Result<ExitCode, Error> {
    let asked = pipeline::RunOptions {
        max_requests: options.max_requests,
        ..options.configured.asked()
    };
    let config = &options.configured.config;
    let estimate = follow(console, |progress| {
        let estimate = pipeline::plan(config, &asked, progress)?;
        progress.facts("plan", &estimate.facts);
        Ok(estimate)
    })?;
    console.text(&estimate.to_string())?;
    Ok(ExitCode::Pass)
}
