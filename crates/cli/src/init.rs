//! `guestlist init`: a configuration to start from, or a policy.

use guestlist::init::{InitRequest, Initialised, init, init_policy};
use guestlist::pipeline::Source;
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{Configurable, Init};
use super::console::Console;

pub fn run(options: &Init, console: &Console) -> Result<ExitCode, Error> {
    let request = request(options);
    let Initialised {
        config,
        controls,
        next,
        doubts,
    } = match options.kind {
        Configurable::Audit(kind) => init(kind, &request)?,
        Configurable::Policy => init_policy(&request)?,
    };
    if let Some((path, documents)) = controls {
        console.event(&json!({"event": "controls", "path": path, "documents": documents}));
        console.note(&format!("wrote {}", path.display()));
    }
    let name = request.out.display();
    match config {
        Some(path) => {
            console.event(&json!({"event": "configuration", "path": path}));
            console.note(&format!("wrote {name}. Next: {next}"));
        }
        None => console.note(&format!(
            "{name} is there already and stays as it is. Next: {next}"
        )),
    }
    if let Some(doubts) = doubts {
        console.say(&format!(
            "before that, mend this, or plan refuses it: {doubts}"
        ));
    }
    Ok(ExitCode::Pass)
}

fn request(options: &Init) -> InitRequest {
    let out = options.out();
    let Init {
        kind: _,
        data,
        label,
        members,
        nonmembers,
        target,
        reference,
        preset,
        controls,
        items,
        stand_in,
        images,
        to: _,
        overwrite,
    } = options.clone();
    InitRequest {
        data,
        label,
        members,
        nonmembers,
        target,
        reference,
        preset,
        controls,
        items,
        stand_in,
        images,
        out,
        overwrite,
        source: Source::CommandLine,
    }
}
