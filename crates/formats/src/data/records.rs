//! What a data set amounts to once it is read.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Features and labels, and what became of each column.
#[derive(Clone, Debug)]
pub struct Records {
    /// [records, width], a record's features side by side.
    pub features: Vec<f32>,
    pub width: usize,
    /// Indices into `classes`.
    pub labels: Vec<u32>,
    pub classes: Vec<String>,
    pub ids: Option<Vec<String>>,
    /// In the order of the file.
    pub columns: Vec<ColumnNote>,
    /// The columns of categories, by which an audit can be sliced.
    pub groups: Vec<Group>,
    /// The files that were read.
    pub sources: Vec<PathBuf>,
    /// What a user should know about the reading.
    pub notes: Vec<String>,
}

impl Records {
    /// How many records there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

/// What became of a column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnNote {
    pub name: String,
    pub kind: ColumnKind,
    /// How many values are missing.
    pub missing: usize,
    /// Where its features lie. A number that is missing somewhere has a second feature, which
    /// is 1 where it is missing.
    pub features: Range<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnKind {
    /// The feature is the number less `mean`, divided by `deviation`.
    Number {
        mean: f64,
        deviation: f64,
    },
    /// One feature per value.
    Category {
        values: usize,
    },
    /// The same everywhere, so left out.
    Constant,
    /// Left out because the user said so, or because it cannot be learned from.
    Ignored,
    Label,
    Id,
}

/// A column of categories.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub name: String,
    /// For each record an index into `names`.
    pub values: Vec<u32>,
    pub names: Vec<String>,
    /// The numbers that were cut at their quartiles; empty where values are as they were.
    pub numbers: Vec<f64>,
}
