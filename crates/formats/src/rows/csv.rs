//! Rows of a CSV: the user's own byte by byte, those put together anew in the same form.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use ::csv::{StringRecord, WriterBuilder};
use attacks::signals::bytes::Bytes;

use super::{Composed, Layout};
use crate::data::Wanted;
use crate::data::csv::{Opened, Row};
use crate::data::{csv_look, place_of};
use crate::{Error, ErrorKind, Result};

/// What a column of names is called.
const ID: &str = "canary";

pub(super) struct CsvRows {
    text: Bytes,
    /// All before the first row.
    head: Range<usize>,
    rows: Vec<(Range<usize>, StringRecord)>,
    label: usize,
    /// The columns that are features.
    features: Vec<usize>,
    delimiter: u8,
}

impl CsvRows {
    pub fn open(path: &Path, text: Bytes, wanted: &Wanted) -> Result<Self> {
        let mut opened = Opened::new(path, &text, wanted)?;
        let names = opened.names.clone();
        let mut read: Vec<Row> = Vec::new();
        while let Some(row) = opened.next()? {
            read.push(row);
        }
        let starts: Vec<usize> = read.iter().map(|row| row.start).collect();
        let length = text.as_slice().len();
        let ends = starts.iter().skip(1).copied().chain([length]);
        let first = starts.first().copied().unwrap_or(length);
        let place = |name: &str| place_of(&names, name);
        let label = place(&wanted.label);
        let label =
            label.ok_or_else(|| crate::data::no_such_column(&names, &wanted.label).at(path))?;
        let ignored: Vec<usize> = wanted
            .ignore
            .iter()
            .filter_map(|name| place(name))
            .collect();
        let is_feature = |column: &usize| *column != label && !ignored.contains(column);
        let rows = read.into_iter().zip(ends);
        Ok(Self {
            head: 0..first,
            rows: rows.map(|(row, end)| (row.start..end, row.cells)).collect(),
            label,
            features: (0..names.len()).filter(is_feature).collect(),
            delimiter: csv_look::delimiter(text.as_slice()),
            text,
        })
    }

    fn cell(&self, row: usize, column: usize) -> &str {
        self.rows[row].1.get(column).unwrap_or_default()
    }

    /// The line of a row as it is written.
    fn line(&self, row: usize) -> &[u8] {
        let line = &self.text.as_slice()[self.rows[row].0.clone()];
        let blank = |byte: &&u8| b"\r\n".contains(byte);
        let before = line.iter().take_while(blank).count();
        let after = line.iter().rev().take_while(blank).count();
        &line[before..line.len().saturating_sub(after).max(before)]
    }

    fn composed(&self, row: &Composed) -> Result<Vec<u8>> {
        let columns = self.rows[row.base].1.len();
        let mut cells: Vec<&str> = (0..columns)
            .map(|column| self.cell(row.base, column))
            .collect();
        for (feature, column) in self.features.iter().enumerate() {
            cells[*column] = self.cell(row.feature(feature), *column);
        }
        cells[self.label] = self.cell(row.label, self.label);
        let mut writer = WriterBuilder::new()
            .delimiter(self.delimiter)
            .from_writer(Vec::new());
        writer.write_record(&cells).map_err(failed)?;
        let line = writer.into_inner().map_err(failed)?;
        Ok(line.trim_ascii_end().to_vec())
    }
}

impl Layout for CsvRows {
    fn rows(&self) -> usize {
        self.rows.len()
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn value(&self, row: usize, feature: usize) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.cell(row, self.features[feature]).trim().as_bytes())
    }

    fn encode(&self, rows: &[&Composed], ids: Option<&[String]>) -> Result<Vec<u8>> {
        let head = &self.text.as_slice()[self.head.clone()];
        let mut out = match ids {
            None => head.to_vec(),
            Some(_) => named(head, self.delimiter),
        };
        for (place, row) in rows.iter().enumerate() {
            if let Some(id) = ids.and_then(|ids| ids.get(place)) {
                out.extend_from_slice(id.as_bytes());
                out.push(self.delimiter);
            }
            match **row == Composed::whole(row.base) {
                true => out.extend_from_slice(self.line(row.base)),
                false => out.extend(self.composed(row)?),
            }
            out.push(b'\n');
        }
        Ok(out)
    }
}

/// The names of the columns, with one more in front; a file without names stays without.
fn named(head: &[u8], delimiter: u8) -> Vec<u8> {
    let end = head.trim_ascii_end().len();
    if end == 0 {
        return head.to_vec();
    }
    let last = head[..end].iter().rposition(|byte| b"\r\n".contains(byte));
    let start = last.map_or(0, |place| place + 1);
    let mut out = head[..start].to_vec();
    out.extend_from_slice(ID.as_bytes());
    out.push(delimiter);
    out.extend_from_slice(&head[start..]);
    out
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::new(
        ErrorKind::Write,
        format!("a row cannot be written: {error}"),
    )
}
