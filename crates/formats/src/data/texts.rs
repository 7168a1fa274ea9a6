//! A table in text as it is written: for tables that are no data set.

use std::path::Path;

use arrow_array::LargeStringArray;

use super::cells::Cells;
use super::csv;
use super::source::{self, Source};
use super::table::Rows;
use super::wanted::Wanted;
use crate::{Error, Result};

/// Named columns of trimmed texts.
pub struct Texts {
    pub columns: Vec<(String, LargeStringArray)>,
    rows: Rows,
}

impl Texts {
    /// How a user finds a row.
    pub fn line(&self, row: usize) -> String {
        self.rows.name(row)
    }
}

/// Reads a CSV whose first line names the columns.
pub fn texts(path: &Path) -> Result<Texts> {
    texts_with_header(path, "", Some(true))
}

/// Whether the first line of a CSV names a column so.
pub fn header_has(path: &Path, name: &str) -> Result<bool> {
    match source::open(path)? {
        Source::Text(bytes) => csv::header_has(path, bytes, name),
        _ => Ok(false),
    }
}

/// The same where the first line may be a record: found by looking where nothing is said. A line that has the
/// `name` of the column that is looked for names columns.
pub fn texts_with_header(path: &Path, name: &str, header: Option<bool>) -> Result<Texts> {
    let Source::Text(bytes) = source::open(path)? else {
        return Err(Error::unsupported("is no table in text")
            .at(path)
            .hint("give a CSV, with a line of names and one line per record"));
    };
    let wanted = Wanted {
        header,
        ..Wanted::label(name)
    };
    let table = csv::read(path, bytes, &wanted)?;
    let columns = table.columns.into_iter();
    let columns = columns.filter_map(|column| match column.cells {
        Cells::Text(texts) => Some((column.name, texts)),
        _ => None,
    });
    Ok(Texts {
        columns: columns.collect(),
        rows: table.rows,
    })
}
