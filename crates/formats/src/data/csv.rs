//! Tables in text: comma, semicolon, tab or `|` between values, quotes around those that need it.

use std::path::Path;

use ::csv::{ByteRecord, Reader, StringRecord};
use arrow_array::LargeStringArray;
use arrow_array::builder::LargeStringBuilder;
use attacks::signals::bytes::Bytes;

use super::cells::Cells;
use super::csv_look;
use super::number;
use super::roles;
use super::table::{self, Column, Rows, Table, line_at};
use super::wanted::Wanted;
use crate::{Error, Result};

/// What some programs put before UTF-8.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

pub(crate) fn names(path: &Path, text: Bytes) -> Result<Vec<String>> {
    let opened = Opened::new(path, &text, &Wanted::label(""))?;
    Ok(opened.names)
}

/// Whether the first line names a column so.
pub(crate) fn header_has(path: &Path, text: Bytes, name: &str) -> Result<bool> {
    let opened = Opened::new(path, &text, &Wanted::label(name))?;
    Ok(opened.names.iter().any(|there| there == name))
}

/// The label must be one of the columns.
pub(crate) fn check_label(path: &Path, text: Bytes, label: &str) -> Result<()> {
    let wanted = Wanted::label(label);
    let opened = Opened::new(path, &text, &wanted)?;
    opened.check_label(&wanted)?;
    roles::check(&opened.names, label, path)
}

/// The values of the first record.
pub(crate) fn first(path: &Path, text: Bytes) -> Result<Vec<String>> {
    let mut opened = Opened::new(path, &text, &Wanted::label(""))?;
    let row = opened.next()?;
    Ok(row.map_or_else(Vec::new, |row| {
        row.cells
            .iter()
            .map(|cell| cell.trim().to_owned())
            .collect()
    }))
}

pub(crate) fn read(path: &Path, text: Bytes, wanted: &Wanted) -> Result<Table> {
    let mut opened = Opened::new(path, &text, wanted)?;
    opened.check_label(wanted)?;
    table::check_names(&opened.names, path)?;
    let mut columns: Vec<LargeStringBuilder> = Vec::new();
    columns.resize_with(opened.names.len(), LargeStringBuilder::new);
    let mut starts = Vec::new();
    while let Some(row) = opened.next()? {
        starts.push(row.start);
        for (column, cell) in columns.iter_mut().zip(&row.cells) {
            column.append_value(cell.trim());
        }
    }
    let columns = columns.iter_mut().map(LargeStringBuilder::finish);
    let columns: Vec<LargeStringArray> = columns.collect();
    if opened.guessed && !is_sure_header(&opened.names, &columns, wanted) {
        opened.notes.push(format!(
            "line {}, the first row, was taken for names; set data.header = false if it is a \
             record, or true if it is not",
            opened.first_line
        ));
    }
    let columns = opened.names.iter().zip(columns);
    Ok(Table {
        path: path.to_owned(),
        columns: columns
            .map(|(name, column)| Column {
                name: name.clone(),
                cells: Cells::Text(column),
            })
            .collect(),
        rows: Rows::Lines {
            starts,
            text: text.clone(),
        },
        notes: opened.notes,
    })
}

/// Whether the rows below bear out that the first one holds names: texts above numbers do, and so
/// does the label's name where no record has it as its label.
fn is_sure_header(names: &[String], columns: &[LargeStringArray], wanted: &Wanted) -> bool {
    let numeric = |column: &LargeStringArray| {
        number::parse(column, wanted).is_ok_and(|values| values.iter().any(|x| !x.is_nan()))
    };
    let label = names.iter().position(|name| *name == wanted.label);
    let names_label = label.is_some_and(|place| {
        let mut labels = columns[place].iter().flatten();
        labels.all(|label| label != wanted.label)
    });
    names_label || columns.iter().any(numeric)
}

pub(crate) struct Row {
    pub(crate) cells: StringRecord,
    /// Where in the text it starts.
    pub(crate) start: usize,
}

/// A text whose columns are known and whose rows are still to be read.
pub(crate) struct Opened<'a> {
    rows: RowReader<'a>,
    pub(crate) names: Vec<String>,
    /// The first row of data, where it had to be read to know the columns.
    first: Option<Row>,
    /// The line that all others must be as wide as.
    first_line: usize,
    headless: bool,
    /// The first row was taken for names, though nobody said so.
    guessed: bool,
    notes: Vec<String>,
}

impl<'a> Opened<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a Bytes, wanted: &Wanted) -> Result<Self> {
        let mut rows = RowReader::new(path, text.as_slice());
        let mut notes = Vec::new();
        let first = rows.first(&mut notes)?;
        let cells: Vec<&str> = first.cells.iter().map(str::trim).collect();
        let looks_named = csv_look::is_header(&cells, &wanted.label);
        let headless = !wanted.header.unwrap_or(looks_named);
        let names = column_names(&cells, headless);
        if headless && wanted.header.is_none() {
            let (line, last) = (rows.line(first.start), names.len() - 1);
            notes.push(format!(
                "line {line} looks like data, so the columns are named #0 to #{last}"
            ));
        }
        Ok(Self {
            first_line: rows.line(first.start),
            first: headless.then_some(first),
            rows,
            names,
            headless,
            guessed: !headless && wanted.header.is_none(),
            notes,
        })
    }

    fn check_label(&self, wanted: &Wanted) -> Result<()> {
        // Whoever reads columns as they are names no label.
        let found = || roles::find(&self.names, &wanted.label).is_some();
        if !self.headless || wanted.label.is_empty() || found() {
            return Ok(());
        }
        let last = self.names.len() - 1;
        Err(roles::unknown(&self.names, &wanted.label)
            .at(self.rows.path)
            .hint(format!(
                "line {} is taken for data: name a column by position, #0 to #{last}, or set \
                 header = true",
                self.first_line
            )))
    }

    /// The next row, as wide as the first.
    pub(crate) fn next(&mut self) -> Result<Option<Row>> {
        let row = match self.first.take() {
            Some(first) => Some(first),
            None => self.rows.next()?,
        };
        match &row {
            Some(row) if row.cells.len() != self.names.len() => Err(self.ragged(row)),
            _ => Ok(row),
        }
    }

    fn ragged(&self, row: &Row) -> Error {
        let (line, first) = (self.rows.line(row.start), self.first_line);
        let (here, there) = (row.cells.len(), self.names.len());
        let message = format!("line {line} has {here} values but line {first} has {there}");
        Error::malformed(message).at(self.rows.path).hint(
            "put a value that holds the delimiter or a line end in double quotes, right behind \
             the delimiter",
        )
    }
}

/// A column without a name goes by its position.
fn column_names(first: &[&str], headless: bool) -> Vec<String> {
    let name = |(place, cell): (usize, &&str)| match headless || cell.is_empty() {
        true => format!("#{place}"),
        false => (*cell).to_owned(),
    };
    first.iter().enumerate().map(name).collect()
}

/// Rows of text that are not empty lines.
struct RowReader<'a> {
    path: &'a Path,
    text: &'a [u8],
    /// What comes before the first row.
    skipped: usize,
    reader: Reader<&'a [u8]>,
    /// A row that was read too early.
    ahead: Option<Row>,
}

impl<'a> RowReader<'a> {
    fn new(path: &'a Path, text: &'a [u8]) -> Self {
        let skipped = if text.starts_with(MARK) {
            MARK.len()
        } else {
            0
        };
        let rows = &text[skipped..];
        Self {
            path,
            text,
            skipped,
            reader: csv_look::reader(rows, csv_look::delimiter(rows)),
            ahead: None,
        }
    }

    fn line(&self, start: usize) -> usize {
        line_at(self.text, start)
    }

    /// The first row of the table. A line of one value before wider ones is a title.
    fn first(&mut self, notes: &mut Vec<String>) -> Result<Row> {
        let Some(first) = self.next()? else {
            return Err(Error::malformed("there are no rows")
                .at(self.path)
                .hint("write a line with the names of the columns and one line per record"));
        };
        let second = self.next()?;
        let titled = |second: &Row| first.cells.len() == 1 && second.cells.len() > 1;
        match second {
            Some(second) if titled(&second) => {
                let line = self.line(first.start);
                notes.push(format!(
                    "line {line} was skipped as a title: {}",
                    &first.cells[0]
                ));
                Ok(second)
            }
            second => {
                self.ahead = second;
                Ok(first)
            }
        }
    }

    fn next(&mut self) -> Result<Option<Row>> {
        if let Some(row) = self.ahead.take() {
            return Ok(Some(row));
        }
        let mut cells = ByteRecord::new();
        loop {
            let start = self.skipped + self.reader.position().byte() as usize;
            let more = self.reader.read_byte_record(&mut cells);
            if !more.map_err(|e| self.broken(start, &format!("cannot be read: {e}")))? {
                return Ok(None);
            }
            self.check_closed(start)?;
            if !csv_look::is_blank(&cells) {
                return self.row(cells, start).map(Some);
            }
        }
    }

    fn row(&self, cells: ByteRecord, start: usize) -> Result<Row> {
        match StringRecord::from_byte_record(cells) {
            Ok(cells) => Ok(Row { cells, start }),
            Err(_) => Err(self
                .broken(start, "is not text in UTF-8")
                .hint("save the file as UTF-8: iconv -f latin1 -t utf-8 converts the usual ones")),
        }
    }

    /// A quote that is never closed makes one value of the rest of the file.
    fn check_closed(&self, start: usize) -> Result<()> {
        let row = self.text[start..].trim_ascii();
        let end = self.skipped + self.reader.position().byte() as usize;
        let last = end == self.text.len() && row.iter().any(|byte| b"\r\n".contains(byte));
        let quotes = || row.iter().filter(|byte| **byte == b'"').count();
        if !last || quotes().is_multiple_of(2) {
            return Ok(());
        }
        Err(self
            .broken(start, "opens a quote that is never closed")
            .hint("close it, or write \"\" for a quote inside a quoted value"))
    }

    fn broken(&self, start: usize, what: &str) -> Error {
        let line = self.line(start);
        Error::malformed(format!("line {line} {what}")).at(self.path)
    }
}
