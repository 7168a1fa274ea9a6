//! A table as it lies in a file: named columns, not yet features.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use attacks::signals::bytes::Bytes;

use super::cells::Cells;
use crate::{Error, Result};

pub(crate) struct Table {
    pub(crate) path: PathBuf,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Rows,
    pub(crate) notes: Vec<String>,
}

pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) cells: Cells,
}

/// How many rows there are, and how a user finds one of them.
pub(crate) enum Rows {
    /// By the line that a row of text starts on.
    Lines { text: Bytes, starts: Vec<usize> },
    /// By a number from 0, under the name that the format gives to rows.
    Numbered { count: usize, word: &'static str },
}

impl Rows {
    pub(crate) fn count(&self) -> usize {
        match self {
            Rows::Lines { starts, .. } => starts.len(),
            Rows::Numbered { count, .. } => *count,
        }
    }

    pub(crate) fn name(&self, row: usize) -> String {
        match self {
            Rows::Lines { text, starts } => {
                format!("line {}", line_at(text.as_slice(), starts[row]))
            }
            Rows::Numbered { word, .. } => format!("{word} {row}"),
        }
    }
}

/// The number from 1 of the line with the first visible byte from `start` on. A line ends with
/// `\n`, with `\r\n` or with `\r` alone.
pub(crate) fn line_at(text: &[u8], start: usize) -> usize {
    let blank = text[start..].iter().take_while(|b| b"\r\n".contains(b));
    let before = &text[..start + blank.count()];
    let ends = before.iter().enumerate().filter(|(index, byte)| {
        let paired = **byte == b'\r' && before.get(index + 1) == Some(&b'\n');
        b"\r\n".contains(byte) && !paired
    });
    1 + ends.count()
}

impl Table {
    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.columns.iter().map(|column| column.name.clone());
        names.collect()
    }

    /// What is wrong with one value.
    pub(crate) fn wrong(&self, column: &Column, row: usize, what: &str) -> Error {
        let (name, row) = (&column.name, self.rows.name(row));
        Error::malformed(format!("column {name}, {row}: {what}")).at(&self.path)
    }

    /// Names the column in an error about all of it.
    pub(crate) fn unfit(&self, column: &Column, mut error: Error) -> Error {
        error.message = format!("column {}: {}", column.name, error.message);
        error.at(&self.path)
    }
}

/// No two columns may have the same name.
pub(crate) fn check_names(names: &[String], path: &Path) -> Result<()> {
    let mut places = HashMap::new();
    for (place, name) in names.iter().enumerate() {
        if let Some(earlier) = places.insert(name, place) {
            let message = format!("the columns #{earlier} and #{place} are both named {name}");
            return Err(Error::malformed(message).at(path).hint(
                "rename one of them; if the first line of a CSV is data, set header = false",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_for_every_kind_of_line_end() {
        for text in ["ab\n\ncd\n", "ab\r\n\r\ncd\r\n", "ab\r\rcd\r"] {
            let after_first = text.find(['\r', '\n']).unwrap();
            assert_eq!(line_at(text.as_bytes(), 0), 1);
            for start in after_first..=text.find("cd").unwrap() {
                assert_eq!(line_at(text.as_bytes(), start), 3, "{text:?} from {start}");
            }
        }
    }
}
