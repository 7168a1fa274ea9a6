//! What few-shot attacks look at: a vector of numbers per record, made by the audited model (its
//! outputs or a layer before them).

use base::{Error, Result};

/// Beyond this the square of a difference may leave the numbers.
const LARGEST: f64 = 1e100;

/// One row per record, every value finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    width: usize,
    values: Vec<f64>,
}

impl Features {
    /// `values` is row-major [records, width].
    pub fn new(width: usize, values: Vec<f64>) -> Result<Self> {
        if width == 0 || values.is_empty() || !values.len().is_multiple_of(width) {
            return Err(Error::setting(
                format!("{} values are no rows of {width} features", values.len()),
                "features must be [records, width] with at least one of each",
            ));
        }
        let wrong = values
            .iter()
            .position(|value| value.is_nan() || value.abs() > LARGEST);
        if let Some(place) = wrong {
            return Err(Error::setting(
                format!(
                    "the feature in row {}, column {} is {:e}",
                    place / width,
                    place % width,
                    values[place]
                ),
                "features must be finite numbers of ordinary size: mend or drop the record",
            ));
        }
        Ok(Self { width, values })
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn records(&self) -> usize {
        self.values.len() / self.width
    }

    pub fn row(&self, record: usize) -> &[f64] {
        &self.values[record * self.width..][..self.width]
    }

    /// The middle of each column over all records, members or not. A mean would follow a single
    /// record that lies far off, and every other record would then look the same from there.
    pub fn centre(&self) -> Vec<f64> {
        let mut column = vec![0.0; self.records()];
        let middle = |place: usize| {
            let rows = self.values.chunks_exact(self.width);
            for (value, row) in column.iter_mut().zip(rows) {
                *value = row[place];
            }
            let half = column.len() / 2;
            let (below, upper, _) = column.select_nth_unstable_by(half, f64::total_cmp);
            let upper = *upper;
            match below.iter().copied().max_by(f64::total_cmp) {
                Some(lower) if self.records().is_multiple_of(2) => 0.5 * (lower + upper),
                _ => upper,
            }
        };
        match self.records() {
            0 => vec![0.0; self.width],
            _ => (0..self.width).map(middle).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_a_number_is_refused_by_row_and_column() {
        for wrong in [f64::NAN, f64::INFINITY, 1e200] {
            let error = Features::new(2, vec![0.0, 1.0, 2.0, wrong]).unwrap_err();
            assert!(error.to_string().contains("row 1, column 1"), "{error}");
        }
        for (width, count) in [(0, 4), (3, 4), (2, 0)] {
            assert!(Features::new(width, vec![0.0; count]).is_err());
        }
    }

    #[test]
    fn the_mean_is_over_all_records() {
        let features = Features::new(2, vec![0.0, 1.0, 2.0, 5.0]).unwrap();
        assert_eq!((features.records(), features.centre()), (2, vec![1.0, 3.0]));
        let far = Features::new(1, vec![1.0, 1e30, 2.0]).unwrap();
        assert_eq!(far.centre(), [2.0]);
    }
}
