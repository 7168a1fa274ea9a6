//! `guestlist probe`: one question to a service, and what was read from its answer.

use guestlist::pipeline::{Probed, first_question};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::Probe;
use super::console::Console;

pub fn run(options: &Probe, console: &Console) -> Result<ExitCode, Error> {
    let Probed {
        service,
        query,
        arm,
    } = first_question(
        &options.config,
        options.query.as_deref(),
        options.without_retrieval,
    )?;
    console.note(&service.about());
    let shown = service.probe(&query, arm)?;
    console.event(&json!({
        "event": "probe", "url": shown.url, "status": shown.status, "seconds": shown.seconds,
        "answer": shown.reply.as_ref().ok().map(|reply| &reply.answer),
        "citations": shown.reply.as_ref().ok().map(|reply| &reply.citations),
        "retrieved": shown.reply.as_ref().ok().map(|reply| &reply.retrieved),
        "error": shown.reply.as_ref().err(),
        "paths": shown.findings.iter().map(|finding| json!({
            "what": finding.what, "path": finding.path, "found": finding.found,
        })).collect::<Vec<_>>(),
    }));
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
