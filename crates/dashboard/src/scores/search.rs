//! Records by id: the exact one first, then those that begin so.

use std::ops::Range;

use super::table::{Row, Table};

pub struct Found {
    pub rows: Vec<Row>,
    /// There are more that begin so.
    pub cut: bool,
}

/// Streams the ids; at most so many rows come back, with one attack's scores where one is named.
pub fn search(
    table: &Table,
    text: &str,
    most: usize,
    attack: Option<&str>,
) -> Result<Found, String> {
    let mut exact = Vec::new();
    let mut begin = Vec::new();
    let mut cut = false;
    table.stream_ids(|row, id| {
        if id == text && exact.len() < most {
            exact.push(row);
        } else if id.starts_with(text) {
            match begin.len() < most {
                true => begin.push(row),
                false => cut = true,
            }
        }
        false
    })?;
    let room = most - exact.len();
    cut |= begin.len() > room;
    begin.truncate(room);
    let mut rows = Vec::new();
    for wanted in [exact, begin] {
        let ranges: Vec<Range<usize>> = wanted.iter().map(|row| *row..row + 1).collect();
        let attacks: Vec<&str> = attack.into_iter().collect();
        rows.extend(table.read(&ranges, &attacks)?);
    }
    Ok(Found { rows, cut })
}
