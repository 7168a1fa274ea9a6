//! Columns of numbers: mean 0 and deviation 1, missing ones at the mean and marked.

use std::collections::HashSet;

use arrow_array::{Array, LargeStringArray};

use super::encoded::{Encoded, Part, Remark};
use super::records::ColumnKind;
use super::wanted::Wanted;

/// Fewer values than this may all differ by chance.
pub(crate) const FEWEST_NAMES: usize = 20;

/// The numbers that texts spell, missing ones as NaN; or the first row that spells none.
pub(crate) fn parse(texts: &LargeStringArray, wanted: &Wanted) -> Result<Vec<f64>, usize> {
    let number = |row: usize| match texts.is_null(row) {
        true => Ok(f64::NAN),
        false => number(texts.value(row), wanted).ok_or(row),
    };
    (0..texts.len()).map(number).collect()
}

fn number(text: &str, wanted: &Wanted) -> Option<f64> {
    let missing = || wanted.means_missing(text).then_some(f64::NAN);
    wanted.decimal.number(text).or_else(missing)
}

/// What numbers mean missing becomes NaN, as everything that is missing is.
pub(crate) fn mark_missing(values: &mut [f64], wanted: &Wanted) {
    let missing = wanted.missing_numbers();
    let marked = values.iter_mut().filter(|value| missing.contains(value));
    marked.for_each(|value| *value = f64::NAN);
}

/// Features of finite numbers and NaN. Record numbers are kept only if `forced`.
pub(crate) fn encode(values: &[f64], forced: bool) -> Encoded {
    let present: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    let missing = values.len() - present.len();
    if !forced && name_records(&present) {
        return Encoded::without(ColumnKind::Ignored, missing, Some(Remark::NamesRecords));
    }
    let mark = |value: &f64| if value.is_nan() { 1.0 } else { 0.0 };
    let marks = || Part::Values(values.iter().map(mark).collect());
    let Some(scale) = Scale::new(&present) else {
        let told_apart = !present.is_empty() && missing > 0;
        return Encoded {
            kind: ColumnKind::Constant,
            missing,
            parts: told_apart.then(marks).into_iter().collect(),
            remark: (!told_apart).then_some(Remark::Constant),
        };
    };
    let mut parts = vec![Part::Values(
        values.iter().map(|x| scale.feature(*x)).collect(),
    )];
    parts.extend((missing > 0).then(marks));
    Encoded {
        kind: scale.kind(),
        missing,
        parts,
        remark: None,
    }
}

/// Whole numbers of which no two are the same, as record numbers are.
fn name_records(present: &[f64]) -> bool {
    let mut seen = HashSet::new();
    // Adding zero makes -0 and 0 the same.
    let mut new = |x: &f64| x.fract() == 0.0 && seen.insert((x + 0.0).to_bits());
    present.len() >= FEWEST_NAMES && present.iter().all(&mut new)
}

/// Mean and deviation as shares of the largest magnitude, so that no square overflows.
struct Scale {
    largest: f64,
    mean: f64,
    deviation: f64,
}

impl Scale {
    /// None where all values are the same.
    fn new(present: &[f64]) -> Option<Self> {
        let first = present.first()?;
        if present.iter().all(|x| x == first) {
            return None;
        }
        let count = present.len() as f64;
        let largest = present.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mean = present.iter().map(|x| x / largest).sum::<f64>() / count;
        let square = |x: &f64| (x / largest - mean).powi(2);
        let variance = present.iter().map(square).sum::<f64>() / count;
        Some(Self {
            largest,
            mean,
            deviation: variance.sqrt(),
        })
    }

    fn feature(&self, value: f64) -> f32 {
        match value.is_nan() {
            true => 0.0,
            false => ((value / self.largest - self.mean) / self.deviation) as f32,
        }
    }

    fn kind(&self) -> ColumnKind {
        ColumnKind::Number {
            mean: self.mean * self.largest,
            deviation: self.deviation * self.largest,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn features(encoded: &Encoded) -> Vec<Vec<f32>> {
        let values = |part: &Part| match part {
            Part::Values(values) => values.clone(),
            Part::OneHot { .. } => panic!("a number is not a category"),
        };
        encoded.parts.iter().map(values).collect()
    }

    #[test]
    fn the_deviation_divides_by_n() {
        let encoded = encode(&[1.0, 3.0, f64::NAN], false);
        let (mean, deviation) = (2.0, 1.0);
        assert_eq!(encoded.kind, ColumnKind::Number { mean, deviation });
        assert_eq!(
            features(&encoded),
            [[-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vec::from)
        );
    }

    #[test]
    fn a_constant_with_holes_is_only_its_holes() {
        let encoded = encode(&[5.0, f64::NAN, 5.0], false);
        assert_eq!(encoded.kind, ColumnKind::Constant);
        assert_eq!(features(&encoded), [[0.0, 1.0, 0.0]]);
        assert_eq!(encode(&[f64::NAN; 3], false).width(), 0);
        assert_eq!(encode(&[5.0; 3], false).width(), 0);
    }

    #[test]
    fn record_numbers_are_left_out_unless_forced() {
        let numbers: Vec<f64> = (0..30).map(|n| f64::from(n) * 7.0).collect();
        assert_eq!(encode(&numbers, false).kind, ColumnKind::Ignored);
        assert_eq!(encode(&numbers, true).width(), 1);
        assert_eq!(encode(&numbers[..19], false).width(), 1);
        let halves: Vec<f64> = numbers.iter().map(|n| n / 2.0).collect();
        assert_eq!(encode(&halves, false).width(), 1);
    }

    proptest! {
        #[test]
        fn features_of_any_finite_numbers_are_standard(
            values in proptest::collection::vec(proptest::num::f64::NORMAL, 2..50),
        ) {
            for feature in features(&encode(&values, true)) {
                let count = feature.len() as f64;
                let mean = feature.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
                let square = feature.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / count;
                prop_assert!(mean.abs() < 1e-5 && (square - 1.0).abs() < 1e-5);
            }
        }
    }
}
