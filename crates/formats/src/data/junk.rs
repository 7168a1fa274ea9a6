//! Values that are no numbers in a column of numbers: refused, because the column would silently
//! become categories, or be left out.

use std::collections::HashSet;

use arrow_array::LargeStringArray;

use super::table::{Column, Table};
use super::wanted::Wanted;
use crate::Result;

/// From this share of numbers on, a column is one of numbers.
pub(crate) const NUMBERS: f64 = 0.95;
/// Columns with fewer different numbers may well be categories, such as 1, 2, 3 and X.
pub(crate) const FEWEST_NUMBERS: usize = 20;
/// So many different codes are no slips.
const FEWEST_CODES: usize = 3;

/// Refuses a column of numbers in which a few values are none.
pub(crate) fn check(
    table: &Table,
    column: &Column,
    texts: &LargeStringArray,
    wanted: &Wanted,
) -> Result<()> {
    let counted = Counted::new(texts, wanted);
    let Some((row, first)) = counted.junk() else {
        return Ok(());
    };
    let (numbers, others) = (counted.numbers, counted.others);
    let all = numbers + others;
    let are = if others == 1 { "is" } else { "are" };
    let what =
        format!("{first:?} is not a number; {numbers} of {all} values are, {others} {are} not");
    Err(table.wrong(column, row, &what).hint(
        "write it into data.missing if it stands for a missing value, list the column under \
         data.categories if these are categories, or mend the file",
    ))
}

/// What the values are that are not missing.
#[derive(Default)]
struct Counted<'a> {
    numbers: usize,
    different: HashSet<u64>,
    others: usize,
    different_others: HashSet<&'a str>,
    /// The first value that is no number, and its row.
    first: Option<(usize, &'a str)>,
}

impl<'a> Counted<'a> {
    fn new(texts: &'a LargeStringArray, wanted: &Wanted) -> Self {
        let mut counted = Self::default();
        let present = texts.iter().enumerate();
        let present = present.filter_map(|(row, text)| Some((row, text?)));
        for (row, text) in present.filter(|(_, text)| !wanted.means_missing(text)) {
            counted.take(row, text, wanted);
        }
        counted
    }

    fn take(&mut self, row: usize, text: &'a str, wanted: &Wanted) {
        match wanted.decimal.number(text) {
            Some(number) if number.is_nan() => {}
            Some(number) => {
                self.numbers += 1;
                self.different.insert((number + 0.0).to_bits());
            }
            None => {
                self.others += 1;
                self.different_others.insert(text);
                self.first.get_or_insert((row, text));
            }
        }
    }

    /// The first value that does not belong here, if the column is one of numbers.
    fn junk(&self) -> Option<(usize, &'a str)> {
        let all = (self.numbers + self.others) as f64;
        let numbers = self.numbers as f64 >= NUMBERS * all;
        let many = self.different.len() >= FEWEST_NUMBERS;
        self.first
            .filter(|_| numbers && many && !self.holds_codes())
    }

    /// Whether these are codes of which most look like numbers, as diagnoses do: 250.83, V45,
    /// E909. Codes repeat, and those that are no numbers are all made alike.
    fn holds_codes(&self) -> bool {
        let different = self.different.len() + self.different_others.len();
        let repeat = 2 * different <= self.numbers + self.others;
        let codes = &self.different_others;
        repeat && codes.len() >= FEWEST_CODES && codes.iter().all(|text| is_code(text))
    }
}

/// One letter, then digits, perhaps with a point between them.
fn is_code(text: &str) -> bool {
    let mut characters = text.chars();
    let letter = characters.next().is_some_and(|c| c.is_ascii_alphabetic());
    let rest = characters.as_str();
    let starts = rest.starts_with(|c: char| c.is_ascii_digit());
    letter && starts && rest.chars().all(|c| c.is_ascii_digit() || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every number from 0 below `different`, `times` times each, and these values.
    fn junk(different: usize, times: usize, others: &[&str]) -> Option<String> {
        let numbers = (0..different * times).map(|n| (n % different).to_string());
        let others = others.iter().map(|text| (*text).to_owned());
        let texts: LargeStringArray = numbers.chain(others).map(Some).collect();
        let counted = Counted::new(&texts, &Wanted::label("y"));
        counted.junk().map(|(row, text)| format!("{row} {text}"))
    }

    #[test]
    fn a_few_texts_among_numbers_are_junk() {
        assert_eq!(junk(500, 1, &["oops"]).unwrap(), "500 oops");
        assert_eq!(junk(30, 10, &["1,234", "x"]).unwrap(), "300 1,234");
        assert_eq!(junk(30, 10, &["V57"]).unwrap(), "300 V57");
        assert_eq!(junk(500, 1, &["V57", "V58", "E90"]).unwrap(), "500 V57");
    }

    #[test]
    fn categories_missing_values_and_codes_are_none() {
        assert_eq!(junk(3, 100, &["X"]), None);
        assert_eq!(junk(30, 1, &["u", "v"]), None);
        assert_eq!(junk(500, 1, &["?", "NaN", "nan"]), None);
        assert_eq!(junk(40, 10, &["V57", "V58", "E909.1"]), None);
    }
}
