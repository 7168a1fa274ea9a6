//! `attributions.jsonl`: one line per item, with every word.

use report::source::Attributed;

use crate::Error;

pub const FILE: &str = "attributions.jsonl";

/// What every item was called, as a file of that name.
pub fn written(all: &[Attributed]) -> Result<(&'static str, String), Error> {
    let mut lines = String::new();
    for attributed in all {
        let line = serde_json::to_string(attributed).map_err(|error| {
            Error::usage(
                format!("{FILE} cannot be written: {error}"),
                "this is a fault of guestlist: please report it",
            )
        })?;
        lines += &line;
        lines.push('\n');
    }
    Ok((FILE, lines))
}
