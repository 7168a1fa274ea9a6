//! The records: borrowed, checked once, shared by all models.

use base::Result;

/// Features of all records, row by row, with their labels.
#[derive(Clone, Copy, Debug)]
pub struct Dataset<'a> {
    features: &'a [f32],
    labels: &'a [u32],
    width: usize,
    classes: usize,
}

impl<'a> Dataset<'a> {
    /// `features` is row-major [records, width], one row per label.
    pub fn new(features: &'a [f32], labels: &'a [u32], classes: usize) -> Result<Self> {
        let width = features.len().checked_div(labels.len()).unwrap_or(0);
        if width == 0 || width * labels.len() != features.len() {
            return Err(crate::refused::data(
                format!("{} features for {} labels", features.len(), labels.len()),
                "features must be [records, width], row by row, with one label per record",
            ));
        }
        let data = Self {
            features,
            labels,
            width,
            classes,
        };
        data.check_labels()?;
        data.check_features()?;
        Ok(data)
    }

    fn check_labels(&self) -> Result<()> {
        let wrong = self.labels.iter().position(|&l| l as usize >= self.classes);
        wrong.map_or(Ok(()), |row| {
            let (label, classes) = (self.labels[row], self.classes);
            Err(crate::refused::data(
                format!("record {row} has label {label}, but there are {classes} classes"),
                "labels are numbered from 0; raise the number of classes or mend the label",
            ))
        })
    }

    fn check_features(&self) -> Result<()> {
        let wrong = self.features.iter().position(|value| !value.is_finite());
        wrong.map_or(Ok(()), |index| {
            let (row, column) = (index / self.width, index % self.width);
            let value = self.features[index];
            Err(crate::refused::data(
                format!("feature at row {row}, column {column} is {value}"),
                "fill or drop missing values before training",
            ))
        })
    }

    pub fn records(&self) -> usize {
        self.labels.len()
    }

    /// How many features a record has.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn classes(&self) -> usize {
        self.classes
    }

    pub(crate) fn label(&self, row: u32) -> u32 {
        self.labels[row as usize]
    }

    pub(crate) fn record(&self, row: u32) -> &'a [f32] {
        &self.features[row as usize * self.width..][..self.width]
    }

    /// Rows must name records that exist.
    pub(crate) fn check_rows(&self, rows: &[u32]) -> Result<()> {
        let wrong = rows.iter().find(|&&row| row as usize >= self.records());
        wrong.map_or(Ok(()), |row| {
            Err(crate::refused::data(
                format!(
                    "row {row} asked for, but there are {} records",
                    self.records()
                ),
                "rows are numbered from 0",
            ))
        })
    }
}
