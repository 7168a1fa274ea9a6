//! What the user says about the columns.

use serde::{Deserialize, Serialize};

/// Texts that mean that a value is missing, unless the user says otherwise.
const MISSING: [&str; 7] = ["", "?", "NA", "N/A", "nan", "NaN", "null"];

/// What stands between a number's whole part and its fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    #[default]
    #[serde(rename = ".")]
    Point,
    #[serde(rename = ",")]
    Comma,
}

impl Decimal {
    /// The number that a text spells.
    pub(crate) fn number(self, text: &str) -> Option<f64> {
        match self {
            Decimal::Point => text.parse().ok(),
            Decimal::Comma => text.replacen(',', ".", 1).parse().ok(),
        }
    }
}

/// Columns are named as in the file, or by position from 0 as `#0`, `#1` and so on.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The column to predict. For idx, the file of labels; empty if it lies beside the images.
    pub label: String,
    /// The column that names the records.
    pub id: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// Columns of categories, whatever they look like; the label too, where it looks like a number.
    pub categories: Vec<String>,
    /// Columns of numbers, whatever they look like.
    pub numbers: Vec<String>,
    /// Texts that mean that a value is missing.
    pub missing: Vec<String>,
    /// Whether the first row of a CSV names the columns; found by looking where it is not said.
    pub header: Option<bool>,
    /// In texts; numbers of other formats have none.
    pub decimal: Decimal,
}

impl Wanted {
    /// Nothing is said but which column holds the label.
    pub fn label(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            id: None,
            ignore: Vec::new(),
            categories: Vec::new(),
            numbers: Vec::new(),
            missing: MISSING.map(str::to_owned).to_vec(),
            header: None,
            decimal: Decimal::default(),
        }
    }

    pub(crate) fn means_missing(&self, text: &str) -> bool {
        self.missing.iter().any(|missing| missing == text)
    }

    /// The numbers that mean missing, such as -999.
    pub(crate) fn missing_numbers(&self) -> Vec<f64> {
        let numbers = self.missing.iter().filter_map(|text| text.parse().ok());
        numbers.filter(|number: &f64| !number.is_nan()).collect()
    }
}
