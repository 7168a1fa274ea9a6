//! `guestlist probe`: one question to a service, and what was read from its answer.

use guestlist::pipeline::{self, Question};
use guestlist::{Error, ExitCode};

use super::arguments::Probe;
use super::console::Console;
use super::progress::follow;

pub fn run(options: &Probe, console: &Console) -> Result<ExitCode, Error> {
    let question = Question {
        query: options.query.as_deref(),
        without_retrieval: options.without_retrieval,
    };
    let shown = follow(console, |progress| {
        pipeline::probe(&options.config, &question, progress)
    })?;
    let mut event = shown.facts();
    event["event"] = "probe".into();
    console.event(&event);
    // Every part of it is made printable where it is read.
    console.text(&format!("{shown}\n"))?;
    match shown.reply {
        Ok(_) => Ok(ExitCode::Pass),
        Err(why) => Err(Error::usage(
            why,
            "mend target.extract.answer and probe again",
        )),
    }
}
