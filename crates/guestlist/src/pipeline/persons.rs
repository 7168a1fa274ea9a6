//! Whose the records are, as an audit is told.

use std::collections::HashMap;
use std::hash::Hash;

use formats::ids::Ids;
use formats::records_file::RecordsFile;
use judge::Truth;
use judge::guardrails::RepeatedIds;
use judge::persons::{Groups, Join};

use super::{AuditContext, AuditOptions};
use crate::Error;

/// The people behind the records, and how their scores are joined.
#[derive(Clone, Debug)]
pub struct PersonsWanted {
    pub groups: Groups,
    pub join: Join,
}

impl PersonsWanted {
    /// By what the records of a person share; nothing where a record names nobody.
    pub fn new<K: Eq + Hash>(
        group: &str,
        join: Option<Join>,
        people: impl IntoIterator<Item = Option<K>>,
    ) -> Self {
        PersonsWanted {
            groups: Groups::new(group, people),
            join: join.unwrap_or_default(),
        }
    }

    /// The column of this name in the file of the records.
    pub fn of_file(file: &RecordsFile, group: &str, join: Option<Join>) -> Result<Self, Error> {
        let people = file.people(group)?;
        Ok(Self::new(group, join, people))
    }

    /// As a program gives them: people in memory, or the column of a file. Not both.
    pub fn given(
        options: &AuditOptions,
        people: Option<Vec<Option<String>>>,
        file: Option<&RecordsFile>,
    ) -> Result<Option<Self>, Error> {
        let join = options.join;
        match (&options.group, people, file) {
            (None, None, _) => Ok(None),
            (None, Some(people), _) => Ok(Some(Self::new("groups", join, people))),
            (Some(group), None, Some(file)) => Self::of_file(file, group, join).map(Some),
            (Some(_), Some(_), _) => Err(Error::usage(
                "group and groups were both given",
                "group names a column of a file; groups has whose each record is",
            )),
            (Some(group), None, None) => Err(Error::usage(
                format!("group is {group}, but there is no file that has it"),
                "give whose each record is as groups, in the order of the records",
            )),
        }
    }

    /// By the ids of the records.
    pub fn of_ids(
        group: &str,
        join: Option<Join>,
        people: &HashMap<String, String>,
        ids: &[String],
    ) -> Self {
        Self::new(group, join, ids.iter().map(|id| people.get(id)))
    }
}

impl AuditContext {
    /// Whose the records are. A way to join nobody's records is a slip.
    pub(super) fn groups(&self) -> Result<Option<&Groups>, Error> {
        match (&self.persons, self.join) {
            (None, Some(_)) => Err(Error::usage(
                "a join was asked for, but nothing says whose a record is",
                "name the column or field that does as the group, or leave the join out",
            )),
            (persons, _) => Ok(persons.as_ref().map(|wanted| &wanted.groups)),
        }
    }

    /// The column or field that tells people apart.
    pub fn people(&self) -> Option<&str> {
        self.persons.as_ref().map(|wanted| wanted.groups.name())
    }

    /// Takes in whose the records are; there must be as many.
    pub fn set_persons(
        &mut self,
        persons: Option<PersonsWanted>,
        records: usize,
    ) -> Result<(), Error> {
        if let Some(persons) = &persons {
            persons.groups.check(records)?;
        }
        self.belong_to(persons);
        Ok(())
    }

    /// Takes in whose the records are. Rates then rest on the bootstrap over people, which lets the threshold move.
    pub fn belong_to(&mut self, persons: Option<PersonsWanted>) {
        if persons.is_some() {
            self.resample();
        }
        self.persons = persons;
    }
}

/// Records that share an id, and those whose id members and non-members share.
pub fn repeated_ids(ids: Option<&Ids>, truth: &Truth) -> RepeatedIds {
    let Some((ids, again)) = ids.map(|ids| (ids, ids.repeated())) else {
        return RepeatedIds::default();
    };
    // Of each such id, the records that are members and those that are none.
    let shared = again.iter().map(|&row| (&ids[row], [0_usize; 2]));
    let mut shared: HashMap<&str, [usize; 2]> = shared.collect();
    if !shared.is_empty() {
        for (row, member) in truth.known() {
            if let Some(kinds) = ids.get(row).and_then(|id| shared.get_mut(id)) {
                kinds[usize::from(member)] += 1;
            }
        }
    }
    let divided = shared
        .values()
        .filter(|kinds| kinds.iter().all(|&kind| kind > 0));
    RepeatedIds {
        again: again.len(),
        divided: divided.map(|kinds| kinds[0] + kinds[1]).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_stand_again_are_counted() {
        let ids: Ids = ["a", "b", "a", "a"].into_iter().collect();
        let counted = |members: [bool; 4]| repeated_ids(Some(&ids), &Truth::new(members).unwrap());
        let found = |again, divided| RepeatedIds { again, divided };
        assert_eq!(counted([true, false, true, true]), found(2, 0));
        // One of them is no member.
        assert_eq!(counted([true, true, false, true]), found(2, 3));
        let truth = Truth::new([true, false]).unwrap();
        assert_eq!(repeated_ids(None, &truth), RepeatedIds::default());
    }

    #[test]
    fn people_are_found_by_the_ids_of_their_records() {
        let people = HashMap::from([("a".to_owned(), "ana".to_owned())]);
        let ids = ["a", "b"].map(str::to_owned);
        let found = PersonsWanted::of_ids("author", None, &people, &ids);
        assert_eq!((found.groups.people(), found.groups.unnamed()), (2, 1));
        assert_eq!(found.join, Join::Sum);
    }
}
