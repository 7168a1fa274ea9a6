//! What a reader found, checked as a whole.

use std::path::{Path, PathBuf};

use attacks::signals::episodes::Features;
use attacks::signals::membership::MemberRow;

use super::SORTED;
use crate::array::Array;
use crate::left_out::LeftOut;
use crate::shadow::{SUM_TOLERANCE, ids};
use crate::{Error, Result};

/// Features of every record.
#[derive(Debug)]
pub struct FeatureTable {
    pub format: &'static str,
    /// The array or column that they lay in.
    pub layer: String,
    pub features: Features,
    /// Who was a member, where the file says so.
    pub members: Option<Vec<bool>>,
    pub ids: Option<Vec<String>>,
    /// How many models the file has features of.
    pub models: usize,
    /// Columns that are not among the features because they hold no numbers.
    pub others: Vec<LeftOut>,
    pub sources: Vec<PathBuf>,
}

impl FeatureTable {
    /// The same with every record's logits as probabilities, the largest first.
    pub fn sorted_probabilities(self, path: &Path) -> Result<Self> {
        self.row_by_row(path, |_, row| Ok(sorted_softmax(row)))
    }

    /// The same where the vectors are probabilities already.
    pub(super) fn sorted(self, path: &Path) -> Result<Self> {
        self.row_by_row(path, |record, row| {
            let sum: f64 = row.iter().sum();
            if row.iter().any(|value| *value < 0.0) || (sum - 1.0).abs() > SUM_TOLERANCE {
                return Err(Error::malformed(format!(
                    "probabilities of record {record} are negative or sum to {sum}"
                ))
                .at(path)
                .hint("store what softmax gives, one probability per class, or logits"));
            }
            let mut sorted = row.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            Ok(sorted)
        })
    }

    fn row_by_row(
        self,
        path: &Path,
        sorted: impl Fn(usize, &[f64]) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let (width, records) = (self.features.width(), self.features.records());
        if width < 2 {
            return Err(Error::mismatch(format!("{} has one column", self.layer))
                .at(path)
                .hint("probabilities are made of one logit per class, for two classes or more"));
        }
        let mut values = Vec::with_capacity(width * records);
        for record in 0..records {
            values.extend(sorted(record, self.features.row(record))?);
        }
        Draft {
            format: self.format,
            layer: SORTED.to_owned(),
            width,
            values,
            members: self.members,
            ids: self.ids,
            models: self.models,
            others: self.others,
        }
        .finish(path)
    }
}

fn sorted_softmax(logits: &[f64]) -> Vec<f64> {
    let mut sorted = logits.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let largest = sorted[0];
    let weights: Vec<f64> = sorted.iter().map(|z| (z - largest).exp()).collect();
    let total: f64 = weights.iter().rev().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// Before it is known to fit together.
pub struct Draft {
    pub format: &'static str,
    pub layer: String,
    pub width: usize,
    pub values: Vec<f64>,
    pub members: Option<Vec<bool>>,
    pub ids: Option<Vec<String>>,
    pub models: usize,
    pub others: Vec<LeftOut>,
}

impl Draft {
    pub fn finish(self, path: &Path) -> Result<FeatureTable> {
        let layer = &self.layer;
        let records = self.values.len() / self.width.max(1);
        if let Some(place) = self.values.iter().position(|value| !value.is_finite()) {
            let (record, column) = (place / self.width, place % self.width);
            let value = self.values[place];
            return Err(Error::malformed(format!(
                "{layer}, record {record}, column {column} is {value}"
            ))
            .at(path)
            .hint("features are finite numbers: mend the value or leave the record out"));
        }
        if let Some(members) = &self.members
            && members.len() != records
        {
            return Err(Error::mismatch(format!(
                "{layer} has {records} records but membership is given for {}",
                members.len()
            ))
            .at(path)
            .hint("one truth value per record, in the same order"));
        }
        if let Some(names) = &self.ids {
            ids::check(names, records, path)?;
        }
        let features =
            Features::new(self.width, self.values).map_err(|error| error.within(layer).at(path))?;
        Ok(FeatureTable {
            format: self.format,
            layer: self.layer,
            features,
            members: self.members,
            ids: self.ids,
            models: self.models,
            others: self.others,
            sources: vec![path.to_owned()],
        })
    }
}

/// The vectors of one model from an array [records, width] or [models, records, width]: width,
/// values record by record, and how many models there are.
pub fn vectors(array: &Array, target: usize) -> Result<(usize, Vec<f64>, usize)> {
    let name = &array.place.name;
    let (models, records, width) = match *array.shape.as_slice() {
        [records, width] => (None, records, width),
        [models, records, width] => (Some(models), records, width),
        _ => {
            let message = format!("{name} has shape {:?}", array.shape);
            return Err(Error::mismatch(message)
                .at(&array.place.path)
                .hint("features are [records, width], or [models, records, width] with --target"));
        }
    };
    check_target(target, models.unwrap_or(1), name).map_err(|e| e.at(&array.place.path))?;
    let mut values = Vec::with_capacity(records * width);
    for record in 0..records {
        for column in 0..width {
            let value = match models {
                Some(_) => array.scalar(&[target, record, column]),
                None => array.scalar(&[record, column]),
            };
            let Some(value) = value else {
                return Err(
                    Error::unsupported(format!("{name} holds {}", array.element))
                        .at(&array.place.path)
                        .hint("features are numbers"),
                );
            };
            values.push(value.number());
        }
    }
    Ok((width, values, models.unwrap_or(1)))
}

fn check_target(target: usize, models: usize, name: &str) -> Result<()> {
    match target < models {
        true => Ok(()),
        false => Err(Error::new(
            crate::ErrorKind::OutOfRange,
            format!("there is no model {target}: {name} has {models}"),
        )
        .hint(format!("give --target from 0 to {}", models - 1))),
    }
}

/// A row of membership, unpacked.
pub fn flags(row: &MemberRow) -> Vec<bool> {
    (0..row.len()).map(|record| row.get(record)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_sorted_and_sum_to_one() {
        let found = sorted_softmax(&[0.0, 800.0, 800.0, -800.0]);
        assert_eq!(found, [0.5, 0.5, 0.0, 0.0]);
        let found = sorted_softmax(&[1.0, 3.0, 2.0]);
        let exact: Vec<f64> = [3.0f64, 2.0, 1.0].map(f64::exp).to_vec();
        let total: f64 = exact.iter().sum();
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact / total).abs() < 1e-15);
        }
    }
}
