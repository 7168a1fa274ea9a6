//! Several labels joined in one cell, such as `news|sport`: refused, because every combination
//! would become a class of its own.

use std::collections::{HashMap, HashSet};

use super::table::{Column, Table};
use crate::Error;

const SEPARATORS: [char; 3] = ['|', ';', ','];

/// What joins the labels, if anything does: parts that come back in other labels, and not always
/// in the same place of as many.
pub(crate) fn separator(classes: &[&str]) -> Option<char> {
    let joins = |separator: &char| {
        let parts = Parts::new(classes, *separator);
        parts.recur() && (parts.move_about || parts.lengths.len() > 1)
    };
    SEPARATORS.into_iter().find(joins)
}

/// The parts of all labels under a separator.
struct Parts<'a> {
    /// In how many labels each occurs.
    labels: HashMap<&'a str, usize>,
    lengths: HashSet<usize>,
    /// A part stands in different places of different labels.
    move_about: bool,
}

impl<'a> Parts<'a> {
    fn new(classes: &[&'a str], separator: char) -> Self {
        let (mut labels, mut places) = (HashMap::new(), HashMap::new());
        let (mut lengths, mut move_about) = (HashSet::new(), false);
        for class in classes {
            let parts: Vec<&str> = class.split(separator).map(str::trim).collect();
            lengths.insert(parts.len());
            for (place, part) in parts.iter().enumerate() {
                move_about |= *places.entry(*part).or_insert(place) != place;
            }
            for part in parts.into_iter().collect::<HashSet<_>>() {
                *labels.entry(part).or_default() += 1;
            }
        }
        Self {
            labels,
            lengths,
            move_about,
        }
    }

    /// Whether at least half of the parts belong to several labels. Places such as "Buffalo, NY"
    /// and "Boston, MA" share few.
    fn recur(&self) -> bool {
        let joined = self.lengths.iter().any(|length| *length > 1);
        let several = self.labels.values().filter(|labels| **labels > 1).count();
        joined && 2 * several >= self.labels.len()
    }
}

/// What is wrong, and what to do.
pub(crate) fn refusal(
    table: &Table,
    column: &Column,
    (row, text): (usize, &str),
    separator: char,
) -> Error {
    let (name, parts) = (&column.name, text.split(separator).count());
    let what = format!(
        "{text:?} looks like {parts} labels joined by {separator:?}, which other records combine \
         otherwise"
    );
    table.wrong(column, row, &what).hint(format!(
        "audit one label at a time: name a column as label that says yes or no to it; or, if every \
         combination is a class of its own, set categories = [{name:?}] under [data]"
    ))
}

#[cfg(test)]
mod tests {
    use super::separator;

    #[test]
    fn labels_that_are_combined_freely_are_joined() {
        assert_eq!(separator(&["a|b", "a|c", "b|c"]), Some('|'));
        assert_eq!(separator(&["a", "b", "a;b"]), Some(';'));
        let tags = ["news, sport", "sport", "news, home", "home, sport"];
        assert_eq!(separator(&tags), Some(','));
    }

    #[test]
    fn names_that_hold_a_separator_are_classes() {
        assert_eq!(separator(&["no", "yes, always", "yes, sometimes"]), None);
        let towns = ["Boston, MA", "Buffalo, NY", "Albany, NY"];
        assert_eq!(separator(&towns), None);
        // Two properties, each in its place.
        let crossed = ["high|left", "high|right", "low|left", "low|right"];
        assert_eq!(separator(&crossed), None);
        assert_eq!(separator(&["<=50K", ">50K"]), None);
        assert_eq!(separator(&["a", "b", "c"]), None);
    }
}
