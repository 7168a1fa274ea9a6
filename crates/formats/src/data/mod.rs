//! A user's data set as shadow models train on it: a matrix of features and a class per record.
//!
//! One file per format turns what is on disk into a [`table::Table`] of named columns; what
//! happens to columns afterwards is the same for all formats. A column whose values are all
//! numbers becomes one standardised feature; any other becomes one feature per value.

mod assemble;
mod category;
pub(crate) mod cells;
pub(crate) mod csv;
pub(crate) mod csv_look;
mod decimal_comma;
mod encoded;
mod groups;
mod idx;
mod joined;
mod junk;
mod labels;
mod large;
pub(crate) mod npz;
mod number;
pub(crate) mod parquet;
mod quantity;
mod records;
mod roles;
pub(crate) mod source;
pub(crate) mod table;
mod texts;
mod units;
mod wanted;

use std::path::Path;

pub use self::groups::{group_values, groups, regroup};
pub use self::records::{ColumnKind, ColumnNote, Group, Records};
pub use self::roles::listed;
pub(crate) use self::roles::{find as place_of, unknown as no_such_column};
pub use self::texts::{Texts, header_has, texts, texts_with_header};
pub use self::units::Units;
pub use self::wanted::{Decimal, Wanted};

use self::source::Source;
use crate::Result;

/// Reads a data set; the format is known by the first bytes.
pub fn read(path: &Path, wanted: &Wanted) -> Result<Records> {
    let table = match source::open(path)? {
        Source::Idx(bytes) => return idx::read(path, bytes, wanted),
        Source::Npz => npz::read(path, wanted)?,
        Source::Parquet => parquet::read(path, wanted)?,
        Source::Text(bytes) => csv::read(path, bytes, wanted)?,
    };
    assemble::records(&table, wanted)
}

/// The names of the columns; of an npz, those of its arrays.
pub fn columns(path: &Path) -> Result<Vec<String>> {
    match source::open(path)? {
        Source::Idx(_) => Ok(idx::names(path)),
        Source::Npz => npz::names(path),
        Source::Parquet => parquet::names(path),
        Source::Text(bytes) => csv::names(path, bytes),
    }
}

/// The first record's values as they are written, where the format is text: they tell columns
/// apart that have no names.
pub fn first_record(path: &Path) -> Result<Option<Vec<String>>> {
    match source::open(path)? {
        Source::Text(bytes) => csv::first(path, bytes).map(Some),
        _ => Ok(None),
    }
}

/// Refuses a label that is not there, naming what is.
pub fn check_label(path: &Path, label: &str) -> Result<()> {
    match source::open(path)? {
        Source::Idx(_) => idx::labels_path(path, label).map(|_| ()),
        Source::Npz => npz::check_label(path, label),
        Source::Parquet => roles::check(&parquet::names(path)?, label, path),
        Source::Text(bytes) => csv::check_label(path, bytes, label),
    }
}

/// Whether the labels of this format lie in a file of their own, where they are looked for.
pub fn finds_labels_itself(path: &Path) -> Result<bool> {
    Ok(matches!(source::open(path)?, Source::Idx(_)))
}
