//! Labels and ids: what must be there for every record.

use std::collections::{BTreeSet, HashMap};

use arrow_array::Array;

use super::quantity::Counted;
use super::table::{Column, Table};
use super::wanted::Wanted;
use super::{joined, roles};
use crate::element::Scalar;
use crate::shadow::ids;
use crate::{Error, Result};

/// More classes than this are suspicious where they are about as many as the records.
const MANY_CLASSES: usize = 100;

/// The class of every record, and the classes' names in numeric or else in text order.
pub(crate) fn labels(
    table: &Table,
    column: &Column,
    wanted: &Wanted,
) -> Result<(Vec<u32>, Vec<String>)> {
    let texts = filled(table, column, wanted, "the label")?;
    let spelled = spelled(texts.iter().map(String::as_str).collect());
    let classes = in_order(spelled.values().copied().collect());
    let places: HashMap<&str, u32> = classes.iter().copied().zip(0..).collect();
    let label = |text: &String| places[spelled[text.as_str()]];
    let labels: Vec<u32> = texts.iter().map(label).collect();
    if !roles::lists(&table.names(), &wanted.categories, &column.name) {
        check_nature(table, column, &classes, &labels)?;
    }
    check_classes(table, column, &classes)?;
    let names = classes.iter().map(|class| (*class).to_owned()).collect();
    Ok((labels, names))
}

/// The id of every record, each given once.
pub(crate) fn ids(table: &Table, column: &Column, wanted: &Wanted) -> Result<Vec<String>> {
    let ids = filled(table, column, wanted, "the id")?;
    ids::check_unique(&ids, &table.path, |row| table.rows.name(row))?;
    Ok(ids)
}

/// The texts of a column in which nothing may be missing.
fn filled(table: &Table, column: &Column, wanted: &Wanted, what: &str) -> Result<Vec<String>> {
    let texts = column.cells.texts().map_err(|e| table.unfit(column, e))?;
    let text = |row: usize| {
        let text = texts.is_valid(row).then(|| texts.value(row));
        text.filter(|text| !wanted.means_missing(text))
            .map(str::to_owned)
            .ok_or_else(|| {
                let said = text.map_or(String::new(), |text| format!(" ({text:?})"));
                table
                    .wrong(column, row, &format!("{what} is missing{said}"))
                    .hint("fill it in or leave the record out")
            })
    };
    (0..texts.len()).map(text).collect()
}

/// The class that each text spells. Where all texts are numbers, equal numbers such as 1 and 1.0
/// are one class, under the shortest spelling.
fn spelled(texts: BTreeSet<&str>) -> HashMap<&str, &str> {
    let numbers: Option<Vec<Key>> = texts.iter().map(|text| Key::new(text)).collect();
    let Some(numbers) = numbers else {
        return texts.into_iter().map(|text| (text, text)).collect();
    };
    let mut shortest: HashMap<Key, &str> = HashMap::new();
    for (key, &text) in numbers.iter().zip(&texts) {
        let name = shortest.entry(*key).or_insert(text);
        if text.len() < name.len() {
            *name = text;
        }
    }
    let pairs = numbers.iter().zip(&texts);
    pairs.map(|(key, text)| (*text, shortest[key])).collect()
}

/// A number by which equal ones are found. Whole ones are exact at any size.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Whole(i128),
    Bits(u64),
}

impl Key {
    fn new(text: &str) -> Option<Self> {
        if let Ok(whole) = text.parse() {
            return Some(Key::Whole(whole));
        }
        let number: f64 = text
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite())?;
        let whole = Scalar::Float(number).whole();
        Some(whole.map_or(Key::Bits(number.to_bits()), |whole| {
            Key::Whole(whole.into())
        }))
    }
}

fn in_order(classes: BTreeSet<&str>) -> Vec<&str> {
    let mut classes: Vec<&str> = classes.into_iter().collect();
    let whole = |class: &&str| class.parse::<i128>().ok();
    if classes.iter().all(|class| whole(class).is_some()) {
        classes.sort_by_key(whole);
    }
    classes
}

/// Refuses numbers to predict, and several labels in one cell.
fn check_nature(table: &Table, column: &Column, classes: &[&str], labels: &[u32]) -> Result<()> {
    let mut counts = vec![0; classes.len()];
    labels
        .iter()
        .for_each(|label| counts[*label as usize] += 1usize);
    if let Some(counted) = Counted::new(classes.iter().copied().zip(counts)) {
        return match counted.is_quantity(&column.name) {
            true => Err(counted.refusal(table, column)),
            false => Ok(()),
        };
    }
    let Some(separator) = joined::separator(classes) else {
        return Ok(());
    };
    let texts = labels.iter().map(|label| classes[*label as usize]);
    let mut joined = texts.enumerate();
    let example = joined.find(|(_, text)| text.contains(separator));
    example.map_or(Ok(()), |example| {
        Err(joined::refusal(table, column, example, separator))
    })
}

fn check_classes(table: &Table, column: &Column, classes: &[&str]) -> Result<()> {
    let (name, records) = (&column.name, table.rows.count());
    let many = classes.len();
    let error = if let [class] = classes {
        Error::malformed(format!("column {name} is {class:?} for every record"))
            .hint("a label has at least two classes: name another column")
    } else if many > MANY_CLASSES && many > records / 2 {
        Error::malformed(format!(
            "column {name} has {many} classes for {records} records"
        ))
        .hint(
            "a label has a few classes with many records each: name another column, or bin \
                   the numbers",
        )
    } else {
        return Ok(());
    };
    Err(error.at(&table.path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_are_one_class_where_all_are_numbers() {
        let found = spelled(["1", "1.0", "01", "2.50", "2.5", "-0", "0.0"].into());
        assert_eq!((found["1.0"], found["01"], found["1"]), ("1", "1", "1"));
        assert_eq!((found["2.50"], found["-0"]), ("2.5", found["0.0"]));
        let large = spelled(["9007199254740992", "9007199254740993"].into());
        assert_eq!(large["9007199254740993"], "9007199254740993");
        assert_eq!(spelled(["1", "1.0", "b"].into())["1.0"], "1.0");
    }

    #[test]
    fn whole_numbers_are_in_numeric_order_and_others_in_text_order() {
        assert_eq!(in_order(["10", "9", "-1"].into()), ["-1", "9", "10"]);
        assert_eq!(in_order(["10", "9", "b"].into()), ["10", "9", "b"]);
        assert_eq!(in_order(["1.5", "1"].into()), ["1", "1.5"]);
    }
}
