//! JSON Lines, also gzipped: one object per document.

use std::path::Path;

use super::row::Row;
use crate::lines::{Lines, plain};
use crate::{Error, Result};

pub(crate) fn read(path: &Path) -> Result<Vec<Row>> {
    let rows = Lines::open(path)?.map(|line| {
        let (number, line) = line?;
        parse(&line, number, path)
    });
    rows.collect()
}

fn parse(line: &[u8], number: usize, path: &Path) -> Result<Row> {
    if let Err(error) = std::str::from_utf8(line) {
        let place = error.valid_up_to() + 1;
        let message = format!("row {number} is not text in UTF-8: byte {place} of the line");
        return Err(Error::malformed(message).at(path).hint("convert the file"));
    }
    let row: Row = serde_json::from_slice(line).map_err(|error| {
        let message = format!("row {number}: {}", plain(&error));
        Error::malformed(message).at(path).hint(
            "every line is a JSON object such as {\"id\": \"a\", \"text\": \"…\", \"member\": true}",
        )
    })?;
    Ok(Row { number, ..row })
}
