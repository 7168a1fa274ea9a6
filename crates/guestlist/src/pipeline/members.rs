//! Lists of records given apart from the signals: the members, and those of unknown membership.

use std::collections::HashSet;
use std::path::Path;

use crate::Error;

/// Reads one record id per line (its row number where the signals have no ids): whether each record
/// is listed.
pub fn read_listed(
    path: &Path,
    records: usize,
    ids: Option<&[String]>,
) -> Result<Vec<bool>, Error> {
    let name = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::usage(
            format!("{name}: cannot be read: {error}"),
            "give a text file with one record id per line",
        )
    })?;
    let mut listed: HashSet<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let members = (0..records)
        .map(|record| match ids {
            Some(ids) => listed.remove(ids[record].as_str()),
            None => listed.remove(record.to_string().as_str()),
        })
        .collect();
    let mut unknown: Vec<&str> = listed.into_iter().collect();
    unknown.sort_unstable();
    match unknown.first() {
        None => Ok(members),
        Some(id) => Err(Error::usage(
            format!(
                "{name}: {} listed ids are not among the records, such as {id}",
                unknown.len()
            ),
            "list the ids of the signals file, or row numbers from 0 where it has none",
        )),
    }
}
