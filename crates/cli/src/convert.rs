//! `guestlist convert`: shadow signals from one format to another.

use guestlist::convert::{ConvertRequest, convert};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::Convert;
use super::console::Console;
use super::progress::follow;

pub fn run(options: &Convert, console: &Console) -> Result<ExitCode, Error> {
    let request = ConvertRequest {
        from: options.from.clone(),
        to: options.to.clone(),
        overwrite: options.overwrite,
    };
    let done = follow(console, |progress| {
        convert(&options.input, &options.output, &request, progress)
    })?;
    for note in &done.notes {
        console.note(&format!("note: {note}"));
    }
    let output = options.output.display();
    console.note(&format!(
        "read {} models × {} records as {}, wrote {output} as {}",
        done.models, done.records, done.from, done.to
    ));
    console.event(&json!({
        "event": "converted", "from": done.from, "to": done.to, "output": output.to_string(),
        "models": done.models, "records": done.records,
    }));
    Ok(ExitCode::Pass)
}
