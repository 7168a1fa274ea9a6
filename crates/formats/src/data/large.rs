//! Whole numbers beyond 2^53, of which floats cannot tell all apart: compared as they are written.

use std::collections::HashSet;

use arrow_array::LargeStringArray;

use super::category::{self, MOST_VALUES};
use super::encoded::{Encoded, Remark};
use super::number::{self, FEWEST_NAMES};
use super::records::ColumnKind;
use super::wanted::Wanted;

/// From here on, floats skip whole numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Whether floats may have merged some of these numbers.
pub(crate) fn is_large(values: &[f64]) -> bool {
    values.iter().any(|value| value.abs() >= EXACT)
}

/// Features of finite numbers, some of them large, that these texts spell.
pub(crate) fn encode(
    values: &[f64],
    texts: &LargeStringArray,
    wanted: &Wanted,
    forced: bool,
) -> Encoded {
    let Some(merged) = Merged::new(values, texts) else {
        return number::encode(values, forced);
    };
    if forced {
        return as_numbers(values, &merged);
    }
    if merged.name_records() {
        let missing = values.len() - merged.present;
        return Encoded::without(ColumnKind::Ignored, missing, Some(Remark::NamesRecords));
    }
    // Where floats leave one number only, nothing could be learned from it.
    match merged.exact <= MOST_VALUES || merged.floats == 1 {
        true => as_categories(texts, wanted, &merged),
        false => as_numbers(values, &merged),
    }
}

/// A column of whole numbers of which floats merge some.
struct Merged {
    present: usize,
    /// Different numbers as they are written.
    exact: usize,
    /// Different numbers as floats.
    floats: usize,
}

impl Merged {
    /// None where floats tell all numbers apart, or where some are not whole.
    fn new(values: &[f64], texts: &LargeStringArray) -> Option<Self> {
        let (mut exact, mut floats) = (HashSet::new(), HashSet::new());
        let mut present = 0;
        let pairs = values.iter().zip(texts.iter());
        for (value, text) in pairs.filter(|(value, _)| !value.is_nan()) {
            exact.insert(text?.parse::<i128>().ok()?);
            floats.insert((value + 0.0).to_bits());
            present += 1;
        }
        let (exact, floats) = (exact.len(), floats.len());
        let found = Self {
            present,
            exact,
            floats,
        };
        (floats < exact).then_some(found)
    }

    fn name_records(&self) -> bool {
        self.present >= FEWEST_NAMES && self.exact == self.present
    }

    fn describe(&self) -> String {
        format!(
            "{} different whole numbers, some beyond 2^53, are only {} as floating-point numbers",
            self.exact, self.floats
        )
    }
}

fn as_categories(texts: &LargeStringArray, wanted: &Wanted, merged: &Merged) -> Encoded {
    let mut encoded = category::encode(texts, wanted, true);
    let further = match encoded.remark {
        Some(Remark::Sentence(said)) => format!("; {said}"),
        _ => String::new(),
    };
    let words = merged.describe();
    encoded.remark = Some(Remark::Sentence(format!(
        "its {words}, so it is read as categories{further}"
    )));
    encoded
}

fn as_numbers(values: &[f64], merged: &Merged) -> Encoded {
    let mut encoded = number::encode(values, true);
    let end = match encoded.width() {
        0 => "so it is left out: list it under data.categories",
        _ => "so some count as the same: subtract a common offset to keep them apart",
    };
    let words = merged.describe();
    encoded.remark = Some(Remark::Sentence(format!("its {words}, {end}")));
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: i64 = 1 << 60;

    fn encoded(numbers: impl Iterator<Item = i64> + Clone, forced: bool) -> Encoded {
        let values: Vec<f64> = numbers.clone().map(|n| n as f64).collect();
        assert!(is_large(&values));
        let texts: LargeStringArray = numbers.map(|n| Some(n.to_string())).collect();
        encode(&values, &texts, &Wanted::label("y"), forced)
    }

    fn said(encoded: &Encoded) -> &str {
        match &encoded.remark {
            Some(Remark::Sentence(said)) => said,
            _ => "",
        }
    }

    #[test]
    fn names_of_records_and_categories_are_told_apart() {
        let names = encoded((0..50).map(|n| START + n), false);
        assert_eq!(names.kind, ColumnKind::Ignored);
        assert!(matches!(names.remark, Some(Remark::NamesRecords)));
        let few = encoded((0..50).map(|n| START + n % 3), false);
        assert_eq!(few.kind, ColumnKind::Category { values: 3 });
        assert!(said(&few).contains("its 3 different whole numbers"));
    }

    #[test]
    fn many_numbers_stay_numbers_with_a_remark() {
        let many = encoded((0..4000).map(|n| START + n % 2000), false);
        assert_eq!(many.width(), 1);
        assert!(said(&many).contains("some count as the same"));
        let forced = encoded((0..50).map(|n| START + n), true);
        assert!(said(&forced).contains("left out"), "{}", said(&forced));
    }

    #[test]
    fn numbers_that_floats_tell_apart_are_numbers() {
        let wide = encoded((0..50).map(|n| START + (n % 5) * 4096), false);
        assert_eq!((wide.width(), said(&wide)), (1, ""));
    }
}
