//! JSON Lines, also gzipped: one object per text.

use std::path::Path;

use super::rows::Numbered;
use crate::lines::{Lines, plain};
use crate::{Error, Result};

pub(super) fn read(path: &Path) -> Result<Vec<Numbered>> {
    let rows = Lines::open(path)?.map(|line| {
        let (number, line) = line?;
        parse(&line, number, path)
    });
    rows.collect()
}

fn parse(line: &[u8], number: usize, path: &Path) -> Result<Numbered> {
    if let Err(error) = std::str::from_utf8(line) {
        let place = error.valid_up_to() + 1;
        let message = format!("line {number} is not text in UTF-8: byte {place} of the line");
        return Err(Error::malformed(message).at(path).hint("convert the file"));
    }
    let fields = serde_json::from_slice(line).map_err(|error| {
        let message = format!("line {number}: {}", plain(&error));
        Error::malformed(message).at(path).hint(
            "every line is a JSON object such as {\"id\": \"a\", \"text\": \"…\", \"member\": true}",
        )
    })?;
    Ok((number, fields))
}
