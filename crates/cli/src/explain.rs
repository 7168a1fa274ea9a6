//! `guestlist explain`: what a word in a report means.

use guestlist::{Error, ExitCode, catalogue};
use serde_json::json;

use super::arguments::Explain;
use super::console::Console;

pub fn run(options: &Explain, console: &Console) -> Result<ExitCode, Error> {
    let id = options.id.as_str();
    let text = catalogue::explain(id, console.style().width)?;
    if console.is_json() {
        console.event(&json!({"event": "explanation", "id": id, "text": text}));
    } else {
        console.data(&text)?;
    }
    Ok(ExitCode::Pass)
}
