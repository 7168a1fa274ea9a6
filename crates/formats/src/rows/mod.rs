//! A data set as rows that are copied and put together anew, in the format that it has: for files that
//! must look like the user's own.

mod csv;
mod npz;
mod parquet;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use crate::data::cells::Cells;
use crate::data::source::{self, Source};
use crate::data::table::Table;
use crate::data::{self, Wanted};
use crate::{Error, Result};

/// A row of values that the data set has, each from any of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The row that gives all that nothing else is said about.
    pub base: usize,
    /// The row whose label it has.
    pub label: usize,
    /// For each feature, the row that it comes from.
    pub features: Option<Vec<usize>>,
}

impl Composed {
    /// A row as it is.
    pub fn whole(row: usize) -> Self {
        Self {
            base: row,
            label: row,
            features: None,
        }
    }

    fn feature(&self, feature: usize) -> usize {
        self.features
            .as_ref()
            .map_or(self.base, |rows| rows[feature])
    }
}

/// What a format does with rows.
trait Layout {
    fn rows(&self) -> usize;
    fn features(&self) -> usize;
    /// A value's bytes: the same for the same value.
    fn value(&self, row: usize, feature: usize) -> Cow<'_, [u8]>;
    /// The bytes of a file of these rows, named where `ids` are given.
    fn encode(&self, rows: &[&Composed], ids: Option<&[String]>) -> Result<Vec<u8>>;
}

pub struct RowTable {
    layout: Box<dyn Layout + Sync>,
    /// Which ending files of this format have.
    pub ending: &'static str,
    pub path: PathBuf,
    /// The class of each row.
    pub labels: Vec<String>,
}

/// Names that a label usually has.
const LABELS: [&str; 6] = ["y", "label", "labels", "target", "class", "income"];

impl RowTable {
    /// Reads a data set; columns to `ignore` are no features: they are copied with their row.
    pub fn open(path: &Path, label: Option<&str>, ignore: &[String]) -> Result<Self> {
        let label = match label {
            Some(label) => label.to_owned(),
            None => usual_label(path)?,
        };
        let wanted = Wanted {
            ignore: ignore.to_vec(),
            ..Wanted::label(&label)
        };
        let (layout, ending, table): (Box<dyn Layout + Sync>, _, _) = match source::open(path)? {
            Source::Npz => {
                let table = data::npz::read(path, &npz::wanted(path, &wanted)?)?;
                (Box::new(npz::NpzRows::open(path, &wanted)?), "npz", table)
            }
            Source::Parquet => {
                let table = data::parquet::read(path, &wanted)?;
                (
                    Box::new(parquet::ParquetRows::open(path, &table, &wanted)?),
                    "parquet",
                    table,
                )
            }
            Source::Text(text) => {
                let table = data::csv::read(path, text.clone(), &wanted)?;
                (
                    Box::new(csv::CsvRows::open(path, text, &wanted)?),
                    "csv",
                    table,
                )
            }
            Source::Idx(_) => {
                return Err(Error::unsupported("is an idx file, which is read but not written")
                    .at(path)
                    .hint("store it as an npz first: numpy.savez(\"data.npz\", x=images, y=labels)"));
            }
        };
        let labels = labels(&table, &label)?;
        Ok(Self {
            layout,
            ending,
            path: path.to_owned(),
            labels,
        })
    }

    pub fn len(&self) -> usize {
        self.layout.rows()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn features(&self) -> usize {
        self.layout.features()
    }

    /// The features of a row, by which rows are compared: SHA-256 in hexadecimal.
    pub fn digest(&self, row: &Composed) -> String {
        let mut bytes = Vec::new();
        for feature in 0..self.features() {
            let value = self.layout.value(row.feature(feature), feature);
            bytes.extend((value.len() as u64).to_le_bytes());
            bytes.extend_from_slice(&value);
        }
        crate::files::sha256_of(&bytes)
    }

    /// The bytes of a file of these rows in the format of the data set; with `ids`, a column more.
    pub fn encode(&self, rows: &[&Composed], ids: Option<&[String]>) -> Result<Vec<u8>> {
        self.layout
            .encode(rows, ids)
            .map_err(|error| error.within_file(&self.path))
    }
}

fn usual_label(path: &Path) -> Result<String> {
    let columns = data::columns(path)?;
    let usual = LABELS
        .iter()
        .find(|label| columns.iter().any(|column| column == *label));
    usual.map(|label| (*label).to_owned()).ok_or_else(|| {
        let there = data::listed(&columns);
        Error::usage(
            format!("which column is the label? The columns are: {there}"),
            "name it with --label, by name or by place such as #14",
        )
        .at(path)
    })
}

/// Every row's class, as text.
fn labels(table: &Table, label: &str) -> Result<Vec<String>> {
    let names = table.names();
    let place = data::place_of(&names, label)
        .ok_or_else(|| data::no_such_column(&names, label).at(&table.path))?;
    let column = &table.columns[place];
    let texts = match &column.cells {
        Cells::NotRead(_) => return Err(data::no_such_column(&names, label).at(&table.path)),
        cells => cells.texts().map_err(|error| table.unfit(column, error))?,
    };
    let missing = |row: usize| {
        let hint = "leave rows without a label out";
        table.wrong(column, row, "has no label").hint(hint)
    };
    let text = |(row, text): (usize, Option<&str>)| match text {
        Some(text) => Ok(text.to_owned()),
        None => Err(missing(row)),
    };
    texts.iter().enumerate().map(text).collect()
}

#[cfg(test)]
mod tests;
