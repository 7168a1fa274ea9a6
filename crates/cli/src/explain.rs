//! `guestlist explain`: what a word in a report means.

use guestlist::{Error, ExitCode, catalogue};
use serde_json::json;

use super::arguments::Explain;
use super::console::Console;

pub fn run(options: &Explain, console: &Console) -> Result<ExitCode, Error> {
    let width = console.style().width;
    let Some(id) = options.id.as_deref() else {
        return list(width, console);
    };
    let text = catalogue::explain(id, width)?;
    if console.is_json() {
        console.event(&json!({"event": "explanation", "id": id, "text": text}));
    } else {
        console.data(&text)?;
    }
    Ok(ExitCode::Pass)
}

/// Every word that there is.
fn list(width: usize, console: &Console) -> Result<ExitCode, Error> {
    let text = catalogue::words(width);
    match console.is_json() {
        true => console.event(&json!({"event": "words", "text": text})),
        false => console.data(&text)?,
    }
    Ok(ExitCode::Pass)
}
