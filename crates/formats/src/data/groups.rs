//! Single columns of a data set as groups of records, by which an audit can be sliced.
//!
//! Texts, and numbers of which there are few, are groups as they are; other numbers are cut at
//! their quartiles.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::assemble::numbers_of;
use super::category;
use super::encoded::Part;
use super::records::Group;
use super::source::{self, Source};
use super::table::{self, Column, Rows, Table};
use super::wanted::Wanted;
use super::{csv, npz, number, parquet, roles};
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::{Error, Result};

/// Numbers with more values than this are cut at their quartiles.
const MOST_NUMBERS: usize = 20;
/// Edges of groups have no fewer digits than this, and a number has no more than the second.
const FEWEST_DIGITS: usize = 3;
const MOST_DIGITS: usize = 17;
const MISSING: &str = "(missing)";
const OTHER: &str = "(other values, or missing)";

/// The groups of records that the named columns make, in the order of the names.
pub fn groups(path: &Path, columns: &[String]) -> Result<Vec<Group>> {
    let Some(first) = columns.first() else {
        return Ok(Vec::new());
    };
    let there = super::columns(path)?;
    let mut wanted = Wanted::label(first);
    let named = columns.iter().filter_map(|name| roles::find(&there, name));
    let named: BTreeSet<usize> = named.collect();
    let others = (0..there.len()).filter(|place| !named.contains(place));
    wanted.ignore = others.map(|place| there[place].clone()).collect();
    let table = read(path, columns, &wanted)?;
    let names = table.names();
    table::check_names(&names, path)?;
    columns
        .iter()
        .map(|name| {
            let place = roles::find(&names, name);
            let place = place.ok_or_else(|| roles::unknown(&there, name).at(path))?;
            group(&table, &table.columns[place], &wanted)
        })
        .collect()
}

/// The groups that values make which were read elsewhere: as those of a column.
pub fn group_values(name: &str, values: &[Option<String>]) -> Result<Group> {
    let number = |value: &Option<String>| match value {
        None => Some(f64::NAN),
        Some(text) => text.trim().parse().ok().filter(|x: &f64| x.is_finite()),
    };
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let (codes, names, numbers) = match numbers {
        Some(numbers) if is_many(&numbers) => cut(numbers),
        numbers => {
            let (codes, names) = coded(values, numbers.is_some());
            (codes, names, Vec::new())
        }
    };
    match names.len() {
        0 | 1 => Err(
            Error::malformed(format!("{name} is the same for every record"))
                .hint("name a column with at least two values"),
        ),
        _ => Ok(Group {
            name: name.to_owned(),
            values: codes,
            names,
            numbers,
        }),
    }
}

/// Values in their order, numbers by their size; what is missing comes last.
fn coded(values: &[Option<String>], numbers: bool) -> (Vec<u32>, Vec<String>) {
    let there: BTreeSet<&String> = values.iter().flatten().collect();
    let mut names: Vec<String> = there.into_iter().cloned().collect();
    if numbers {
        let size = |name: &String| name.trim().parse::<f64>().unwrap_or(f64::NAN);
        names.sort_by(|a, b| size(a).total_cmp(&size(b)).then(a.cmp(b)));
    }
    let codes: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let missing = names.len() as u32;
    let code = |value: &Option<String>| match value {
        Some(value) => codes[value.as_str()],
        None => missing,
    };
    let coded = values.iter().map(code).collect();
    if values.iter().any(Option::is_none) {
        names.push(MISSING.to_owned());
    }
    (coded, names)
}

fn read(path: &Path, columns: &[String], wanted: &Wanted) -> Result<Table> {
    match source::open(path)? {
        Source::Idx(_) => Err(Error::unsupported("holds images, which have no columns")
            .at(path)
            .hint("give a CSV, Parquet or npz file with one row per record")),
        Source::Npz => arrays(path, columns),
        Source::Parquet => parquet::read(path, wanted),
        Source::Text(bytes) => csv::read(path, bytes, wanted),
    }
}

/// The named arrays of an npz, each with one value per record.
fn arrays(path: &Path, columns: &[String]) -> Result<Table> {
    let mut archive = Archive::open(path)?;
    let names = archive.names();
    let mut count = None;
    let mut found = Vec::new();
    for name in columns {
        if !names.contains(name) {
            return Err(roles::unknown(&names, name).at(path));
        }
        let array = archive.fetch(name)?;
        let records = array.shape.first().copied().unwrap_or(0);
        found.push(npz::per_record(array, *count.get_or_insert(records))?);
    }
    Ok(Table {
        path: path.to_owned(),
        columns: found,
        rows: Rows::Numbered {
            count: count.unwrap_or(0),
            word: "record",
        },
        notes: Vec::new(),
    })
}

fn group(table: &Table, column: &Column, wanted: &Wanted) -> Result<Group> {
    let numbers = numbers_of(table, column, wanted)?.map(|mut values| {
        number::mark_missing(&mut values, wanted);
        values
    });
    let (values, names, numbers) = match numbers {
        Some(numbers) if is_many(&numbers) => cut(numbers),
        _ => {
            let (values, names) = categories(table, column, wanted)?;
            (values, names, Vec::new())
        }
    };
    if names.len() < 2 {
        let what = Error::malformed("is the same for every record");
        let hint = "name a column with at least two values";
        return Err(table.unfit(column, what).hint(hint));
    }
    Ok(Group {
        name: column.name.clone(),
        values,
        names,
        numbers,
    })
}

fn is_many(numbers: &[f64]) -> bool {
    let mut seen = BTreeSet::new();
    let present = numbers.iter().filter(|x| !x.is_nan());
    present
        .map(|x| seen.insert((x + 0.0).to_bits()))
        .filter(|new| *new)
        .nth(MOST_NUMBERS)
        .is_some()
}

fn categories(table: &Table, column: &Column, wanted: &Wanted) -> Result<(Vec<u32>, Vec<String>)> {
    let texts = column.cells.texts().map_err(|e| table.unfit(column, e))?;
    let parts = category::encode(&texts, wanted, true).parts;
    let found = parts.into_iter().find_map(|part| match part {
        Part::OneHot { codes, names } => Some((codes, names)),
        Part::Values(_) => None,
    });
    Ok(found.unwrap_or_default())
}

fn cut(numbers: Vec<f64>) -> (Vec<u32>, Vec<String>, Vec<f64>) {
    let (values, names) = quartiles(&numbers, |_| true);
    (values, names, numbers)
}

/// The groups that the records which count make by their numbers: as they are where those are few, and
/// cut at quartiles otherwise. Other records fall where they fall.
pub fn regroup(numbers: &[f64], counts: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<String>) {
    let counted = numbers.iter().enumerate();
    let counted = counted.filter(|(record, x)| !x.is_nan() && counts(*record));
    let known: Vec<f64> = counted.map(|(_, x)| *x).collect();
    if is_many(&known) {
        return quartiles(numbers, counts);
    }
    let mut values = known;
    values.sort_unstable_by(f64::total_cmp);
    values.dedup();
    let other = values.len() as u32;
    let mut names: Vec<String> = values.iter().map(f64::to_string).collect();
    names.push(OTHER.to_owned());
    let code = |x: &f64| {
        let place = values.binary_search_by(|value| value.total_cmp(x));
        place.map_or(other, |place| place as u32)
    };
    (numbers.iter().map(code).collect(), names)
}

/// Cut so that about a quarter of the records that count lies in each part; equal numbers stay
/// together, so that there may be fewer parts. Other records fall where they fall.
fn quartiles(numbers: &[f64], counts: impl Fn(usize) -> bool) -> (Vec<u32>, Vec<String>) {
    let counted = numbers.iter().enumerate();
    let counted = counted.filter(|(record, x)| !x.is_nan() && counts(*record));
    let mut sorted: Vec<f64> = counted.map(|(_, x)| *x).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let cuts = cuts(&sorted);
    let edges: Vec<f64> = cuts.iter().map(|cut| rounded(*cut, &sorted)).collect();
    let mut names = cut_names(&edges);
    let missing = names.len() as u32;
    let part = |x: &f64| match x.is_nan() {
        true => missing,
        false => cuts.partition_point(|cut| cut <= x) as u32,
    };
    let values = numbers.iter().map(part).collect();
    if numbers.iter().any(|x| x.is_nan()) {
        names.push(MISSING.to_owned());
    }
    (values, names)
}

/// Where sorted numbers are cut; nowhere if all are equal.
fn cuts(sorted: &[f64]) -> Vec<f64> {
    let Some(&first) = sorted.first() else {
        return Vec::new();
    };
    let quarters = (1..4).map(|quarter| sorted[quarter * sorted.len() / 4]);
    let mut cuts: Vec<f64> = quarters.filter(|cut| *cut > first).collect();
    cuts.dedup();
    if cuts.is_empty() {
        // More than three quarters are the smallest number: the others are told from those.
        cuts.extend(sorted.iter().find(|x| **x > first));
    }
    cuts
}

/// The shortest edge, from three digits on, that parts the same numbers as `cut`: above all that
/// are smaller, and not above `cut`.
fn rounded(cut: f64, sorted: &[f64]) -> f64 {
    let smaller = sorted.partition_point(|x| *x < cut);
    let below = sorted[..smaller].last().copied();
    let fits = |edge: &f64| *edge <= cut && below.is_none_or(|below| below < *edge);
    let mut edges = (FEWEST_DIGITS..=MOST_DIGITS).flat_map(|digits| near(cut, digits));
    edges.find(fits).unwrap_or(cut)
}

/// A number rounded to so many digits, and the next one below that.
fn near(number: f64, digits: usize) -> [f64; 2] {
    let round = |number: f64| format!("{number:.*e}", digits - 1);
    let parsed = |text: &str| text.parse().unwrap_or(number);
    let nearest = round(number);
    let power = nearest.split_once('e').map_or("0", |(_, power)| power);
    let last = power.parse::<i32>().unwrap_or(0) + 1 - digits as i32;
    let nearest = parsed(&nearest);
    let unit = parsed(&format!("1e{last}"));
    [nearest, parsed(&round(nearest - unit))]
}

fn cut_names(cuts: &[f64]) -> Vec<String> {
    let (Some(first), Some(last)) = (cuts.first(), cuts.last()) else {
        return vec!["all".to_owned()];
    };
    let between = cuts.windows(2);
    let between = between.map(|pair| format!("{} to below {}", pair[0], pair[1]));
    std::iter::once(format!("below {first}"))
        .chain(between)
        .chain([format!("{last} or more")])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_hold_a_quarter_each() {
        let numbers: Vec<f64> = (0..100).map(|n| f64::from(n * 37 % 100)).collect();
        let (values, names) = quartiles(&numbers, |_| true);
        let expected = ["below 25", "25 to below 50", "50 to below 75", "75 or more"];
        assert_eq!(names, expected);
        for part in 0..4 {
            assert_eq!(values.iter().filter(|v| **v == part).count(), 25);
        }
        assert_eq!(values[1], 1, "{}", numbers[1]);
    }

    #[test]
    fn equal_numbers_stay_together_and_missing_ones_are_a_group() {
        let mut numbers = vec![0.0; 80];
        numbers.extend((1..=40).map(f64::from));
        numbers.push(f64::NAN);
        let (values, names) = quartiles(&numbers, |_| true);
        assert_eq!(names, ["below 11", "11 or more", "(missing)"]);
        assert_eq!((values[0], values[119], values[120]), (0, 1, 2));
    }

    #[test]
    fn records_that_do_not_count_move_no_cut() {
        let mut numbers: Vec<f64> = (0..100).map(f64::from).collect();
        let (alone, names) = quartiles(&numbers, |_| true);
        numbers.extend((0..900).map(|n| f64::from(1000 + n)));
        let (values, same) = quartiles(&numbers, |record| record < 100);
        assert_eq!((&values[..100], &same), (&alone[..], &names));
        assert!(values[100..].iter().all(|value| *value == 3));
        assert_eq!(quartiles(&numbers, |_| false).1, ["all"]);
        // Ten values of those that count are ten groups, whatever the others have.
        let numbers: Vec<f64> = (0..400)
            .map(|n| f64::from(if n < 100 { n % 10 } else { n }))
            .collect();
        let (values, names) = regroup(&numbers, |record| record < 100);
        assert_eq!((names.len(), names[3].as_str()), (11, "3"));
        assert_eq!((values[13], values[399]), (3, 10));
    }

    #[test]
    fn values_from_elsewhere_are_cut_as_columns_are() {
        let values = |numbers: std::ops::Range<i32>| -> Vec<Option<String>> {
            numbers.map(|n| Some(n.to_string())).collect()
        };
        let many = group_values("length", &values(0..100)).unwrap();
        assert_eq!(many.names[0], "below 25");
        let few = group_values("step", &values(8..12)).unwrap();
        assert_eq!(few.names, ["8", "9", "10", "11"]);
        let mut topics: Vec<Option<String>> = vec![Some("law".into()), Some("art".into()), None];
        let group = group_values("topic", &topics).unwrap();
        assert_eq!(group.names, ["art", "law", "(missing)"]);
        assert_eq!(group.values, [1, 0, 2]);
        topics.truncate(1);
        let error = group_values("topic", &topics).unwrap_err().to_string();
        assert!(
            error.contains("topic is the same for every record"),
            "{error}"
        );
    }

    #[test]
    fn edges_are_as_short_as_the_groups_allow() {
        let sorted = [-2.5, 1.0, 511_518_922_132.633_06, 7e11];
        let edge = |cut: f64| rounded(cut, &sorted).to_string();
        assert_eq!(edge(sorted[2]), "511000000000");
        let close = [1986.0, 1987.0, 1987.123456, 1987.123457];
        let edges = close[1..].iter().map(|cut| rounded(*cut, &close));
        assert_eq!(edges.collect::<Vec<_>>(), [1987.0, 1987.1, 1987.123457]);
        assert_eq!(rounded(-1.23456, &[-2.0, -1.23456]), -1.24);
        assert_eq!(rounded(0.000_123_456, &[0.0, 1.0]), 0.000_123);
    }

    #[test]
    fn rounded_edges_leave_the_groups_as_they_are() {
        let numbers: Vec<f64> = (1..400).map(|n| f64::from(n * n % 397).sqrt()).collect();
        let (values, names) = quartiles(&numbers, |_| true);
        let edges: Vec<f64> = names[1..]
            .iter()
            .map(|name| name.split(' ').next().unwrap().parse().unwrap())
            .collect();
        for (value, number) in values.iter().zip(&numbers) {
            let part = edges.partition_point(|edge| edge <= number);
            assert_eq!(part as u32, *value, "{number} in {names:?}");
        }
    }

    #[test]
    fn numbers_nearly_all_alike_are_cut_above_the_smallest() {
        let mut numbers = vec![0.0; 400];
        numbers.extend((1..=30).map(|n| f64::from(n) * 1.5));
        let (values, names) = quartiles(&numbers, |_| true);
        assert_eq!(names, ["below 1.5", "1.5 or more"]);
        assert_eq!(values.iter().sum::<u32>(), 30);
    }
}
