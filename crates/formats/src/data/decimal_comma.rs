//! Numbers with a decimal comma, such as 3,14: refused unless the user says so, because the column
//! would silently become one of categories, or be left out.

use std::collections::HashSet;

use arrow_array::LargeStringArray;

use super::junk::{FEWEST_NUMBERS, NUMBERS};
use super::table::{Column, Table};
use super::wanted::Wanted;
use crate::Result;

/// Refuses a column of numbers most of which have a comma.
pub(crate) fn check(
    table: &Table,
    column: &Column,
    texts: &LargeStringArray,
    wanted: &Wanted,
) -> Result<()> {
    let present: Vec<(usize, &str)> = present(texts, wanted).collect();
    let commas: Vec<(usize, &str)> = present
        .iter()
        .copied()
        .filter(|(_, text)| has_comma(text))
        .collect();
    let Some((row, first)) = commas.first().filter(|_| are_numbers(&present, &commas)) else {
        return Ok(());
    };
    let (many, all) = (commas.len(), present.len());
    let what =
        format!("{first:?} has a comma where a number has a point, as {many} of {all} values do");
    Err(table.wrong(column, *row, &what).hint(format!(
        "set decimal = \",\" under [data] if it is a decimal comma; if it parts thousands, take it out \
         of the file; if these are categories, set categories = [{:?}]",
        column.name
    )))
}

/// What is not missing, with its row.
fn present<'a>(
    texts: &'a LargeStringArray,
    wanted: &'a Wanted,
) -> impl Iterator<Item = (usize, &'a str)> {
    let there = texts.iter().enumerate();
    let there = there.filter_map(|(row, text)| Some((row, text?)));
    there.filter(|(_, text)| !wanted.means_missing(text))
}

/// Whether nearly all values are numbers, most of them with a comma, and not just a few different
/// ones, which may well be categories.
fn are_numbers(present: &[(usize, &str)], commas: &[(usize, &str)]) -> bool {
    let plain = present
        .iter()
        .filter(|(_, text)| text.parse::<f64>().is_ok());
    let numbers = (commas.len() + plain.count()) as f64;
    let different: HashSet<&str> = commas.iter().map(|(_, text)| *text).collect();
    numbers >= NUMBERS * present.len() as f64
        && 2 * commas.len() > present.len()
        && different.len() >= FEWEST_NUMBERS
}

/// Digits, a comma and digits.
fn has_comma(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = unsigned.split_once(',');
    parts.is_some_and(|(whole, fraction)| digits(whole) && digits(fraction))
}

#[cfg(test)]
mod tests {
    use super::has_comma;

    #[test]
    fn a_decimal_comma_stands_between_digits() {
        for text in ["3,14", "-0,5", "+1,0", "1,234"] {
            assert!(has_comma(text), "{text}");
        }
        for text in ["3.14", "314", ",5", "5,", "1,2,3", "a,b", "1.234,5", ""] {
            assert!(!has_comma(text), "{text}");
        }
    }
}
