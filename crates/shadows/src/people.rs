//! People in splits: all records of a person go into a half, or none.
//!
//! Copies of a record that belong to different people tie those people together, so that they are drawn
//! as one. Where that would tie most people to each other (data with few different records), people
//! are drawn each for themselves, and copies that come to lie on both sides are for a guardrail to tell.

use std::path::Path;

use formats::data::Units;
use formats::persons;

use super::settings::DataSettings;
use crate::{Error, ErrorKind, Result};

/// Of each record its person, and how many records name nobody.
pub struct People {
    pub units: Units,
    pub unnamed: usize,
}

impl People {
    /// A person is neither a class nor a record.
    pub fn check(path: &Path, settings: &DataSettings) -> Result<()> {
        let Some(name) = &settings.group else {
            return Ok(());
        };
        for (role, taken) in [("label", &settings.label), ("id", &settings.id)] {
            if taken.as_ref() == Some(name) {
                let message = format!("data.group and data.{role} are both {name}");
                return Err(Error::new(ErrorKind::Setting, message)
                    .at(path)
                    .hint("data.group names what the records of one person share"));
            }
        }
        Ok(())
    }

    /// The people that somebody names record by record, and nobody where there is no name.
    pub fn named(names: impl IntoIterator<Item = Option<String>>) -> Self {
        let named: Vec<Option<String>> = names.into_iter().collect();
        let unnamed = named.iter().filter(|name| name.is_none()).count();
        let keys = named.into_iter().enumerate();
        let units = Units::by_key(keys.map(|(record, name)| name.ok_or(record)));
        Self { units, unnamed }
    }

    /// People who go by a number each, and by a number below 0 where nobody is named.
    pub fn numbered(numbers: &[i64]) -> Self {
        let keys = numbers.iter().enumerate();
        Self {
            unnamed: numbers.iter().filter(|number| **number < 0).count(),
            units: Units::by_key(keys.map(|(record, &number)| match number {
                0.. => Ok(number),
                _ => Err(record),
            })),
        }
    }

    /// The people of a data file, where a column of it names them.
    pub fn read(path: &Path, settings: &DataSettings, records: usize) -> Result<Option<Self>> {
        let Some(name) = &settings.group else {
            return Ok(None);
        };
        let named = persons::column(path, name, settings.header)?;
        if named.len() != records {
            let message = format!(
                "{name} has {} rows but there are {records} records",
                named.len()
            );
            return Err(Error::mismatch(message).at(path));
        }
        Ok(Some(Self::named(named)))
    }

    /// Who is whose, without a name.
    pub fn digest(&self) -> String {
        let numbers = (0..self.units.records()).map(|record| self.units.unit(record) as u64);
        let bytes: Vec<u8> = numbers.flat_map(u64::to_le_bytes).collect();
        formats::files::sha256_of(&bytes)
    }

    /// What splits draw: people, those who share a copy as one.
    pub fn with_copies(&self, copies: Option<&Units>) -> Units {
        let Some(copies) = copies else {
            return self.units.clone();
        };
        let mut root: Vec<usize> = (0..self.units.count()).collect();
        let mut first = vec![None; copies.count()];
        for record in 0..self.units.records() {
            let own = find(&mut root, self.units.unit(record));
            match first[copies.unit(record)] {
                None => first[copies.unit(record)] = Some(own),
                Some(other) => {
                    let other = find(&mut root, other);
                    // The earlier person stands for both, so that the order of records decides.
                    root[own.max(other)] = own.min(other);
                }
            }
        }
        let records = 0..self.units.records();
        let tied = Units::by_key(records.map(|record| find(&mut root, self.units.unit(record))));
        match tied.count() * 2 < self.units.count() {
            true => self.units.clone(),
            false => tied,
        }
    }
}

fn find(root: &mut [usize], mut person: usize) -> usize {
    while root[person] != person {
        root[person] = root[root[person]];
        person = root[person];
    }
    person
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(people: &[usize], copies: &[usize]) -> Vec<usize> {
        let people = People {
            units: Units::by_key(people.iter().copied()),
            unnamed: 0,
        };
        let found = people.with_copies(Some(&Units::by_key(copies.iter().copied())));
        (0..found.records())
            .map(|record| found.unit(record))
            .collect()
    }

    #[test]
    fn people_who_share_a_copy_are_drawn_as_one() {
        let people = [0, 0, 1, 1, 2, 3];
        // Records 1 and 3 are copies: of people 0 and 1.
        assert_eq!(units(&people, &[0, 1, 2, 1, 3, 4]), [0, 0, 0, 0, 1, 2]);
        // Copies within a person change nothing.
        assert_eq!(units(&people, &[0, 0, 1, 1, 2, 3]), [0, 0, 1, 1, 2, 3]);
    }

    #[test]
    fn people_stay_apart_where_copies_would_tie_most_of_them() {
        let people = [0, 1, 2, 3, 4, 5];
        assert_eq!(units(&people, &[0, 0, 0, 0, 0, 1]), [0, 1, 2, 3, 4, 5]);
    }
}
