//! `guestlist run`: from a configuration to a report.

use guestlist::pipeline::{self, Extra};
use guestlist::{Error, ExitCode};

use super::arguments::RunOptions;
use super::console::Console;
use super::progress::follow;
use super::verdict::conclude;

pub fn run(options: &RunOptions, command: String, console: &Console) -> Result<ExitCode, Error> {
    let extras = [
        (true, Extra::Markdown),
        (options.figures, Extra::Figures),
        (options.junit, Extra::Junit),
        (options.sarif, Extra::Sarif),
    ];
    let asked = extras.into_iter().filter(|(asked, _)| *asked);
    let run = pipeline::RunOptions {
        max_requests: options.max_requests,
        replay: options.replay,
        ask_again: options.ask_again,
        policy: options.policy.clone(),
        what_if: options.what_if.iter().map(|one| one.asked()).collect(),
        extras: asked.map(|(_, extra)| extra).collect(),
        command: Some(command),
        date: Some(options.date.clone()),
        ..options.configured.asked()
    };
    let config = &options.configured.config;
    let finished = follow(console, |progress| pipeline::run(config, &run, progress))?;
    conclude(&finished, console)
}
