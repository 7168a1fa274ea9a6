//! Which person each record belongs to. Names stay outside: a person is a number here.

use std::collections::HashMap;
use std::hash::Hash;

use crate::Error;

/// Of each record its person. A record without a name is a person of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Groups {
    name: String,
    /// People are numbered by their first records.
    of: Vec<u32>,
    people: usize,
    unnamed: usize,
}

impl Groups {
    /// By what the records of one person share; `name` is that of the column or field.
    pub fn new<K: Eq + Hash>(name: &str, keys: impl IntoIterator<Item = Option<K>>) -> Self {
        let mut numbers: HashMap<K, u32> = HashMap::new();
        let (mut people, mut unnamed) = (0, 0);
        let mut next = || {
            people += 1;
            people - 1
        };
        let mut number = |key: Option<K>| match key {
            Some(key) => *numbers.entry(key).or_insert_with(&mut next),
            None => {
                unnamed += 1;
                next()
            }
        };
        let of: Vec<u32> = keys.into_iter().map(&mut number).collect();
        Groups {
            name: name.to_owned(),
            of,
            people: people as usize,
            unnamed,
        }
    }

    /// What tells people apart: the name of a column or field.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn records(&self) -> usize {
        self.of.len()
    }

    pub fn people(&self) -> usize {
        self.people
    }

    /// Records that name nobody.
    pub fn unnamed(&self) -> usize {
        self.unnamed
    }

    /// The person of a record.
    pub fn person(&self, record: usize) -> usize {
        self.of[record] as usize
    }

    /// The people of some of the records, in the order of these.
    pub fn of_rows(&self, rows: &[usize]) -> Self {
        let some = Self::new(&self.name, rows.iter().map(|&row| Some(self.of[row])));
        Groups {
            unnamed: self.unnamed.min(some.people),
            ..some
        }
    }

    /// One person for each of so many records, or it cannot be used.
    pub fn check(&self, records: usize) -> Result<(), Error> {
        match self.of.len() == records {
            true => Ok(()),
            false => Err(Error::input(
                format!(
                    "{} names the people of {} records, but there are {records}",
                    self.name,
                    self.of.len()
                ),
                "give one person per record, in the same order",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_numbered_by_their_first_records() {
        let groups = Groups::new("owner", [Some("b"), None, Some("a"), Some("b"), None]);
        let people: Vec<usize> = (0..5).map(|record| groups.person(record)).collect();
        assert_eq!(people, [0, 1, 2, 0, 3]);
        assert_eq!((groups.people(), groups.unnamed()), (4, 2));
        let some = groups.of_rows(&[3, 2, 0]);
        assert_eq!((some.people(), some.person(0), some.person(2)), (2, 0, 0));
        assert!(groups.check(5).is_ok());
        let error = groups.check(6).unwrap_err();
        assert!(error.message.contains("5 records, but there are 6"));
    }
}
