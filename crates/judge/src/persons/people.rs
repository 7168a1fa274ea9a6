//! The truth by person: in, out, or both, which is no truth.

use super::Groups;
use crate::{Error, Truth};

/// The people whose records are all members, or all non-members, with those records.
#[derive(Clone, Debug)]
pub struct People {
    /// Records by person, people in the order of their first records.
    records: Vec<Vec<usize>>,
    member: Vec<bool>,
    /// People with members and non-members among their records.
    pub mixed: usize,
    /// People with several records, mixed or not.
    pub several: usize,
}

impl People {
    /// Records whose membership is unknown belong to nobody here.
    pub fn new(groups: &Groups, truth: &Truth) -> Self {
        let mut records: Vec<Vec<usize>> = vec![Vec::new(); groups.people()];
        let mut sides = vec![[false; 2]; groups.people()];
        for record in 0..truth.len() {
            if let Some(member) = truth.is_member(record) {
                let person = groups.person(record);
                records[person].push(record);
                sides[person][usize::from(member)] = true;
            }
        }
        let mut people = People {
            several: records.iter().filter(|own| own.len() > 1).count(),
            records: Vec::new(),
            member: Vec::new(),
            mixed: 0,
        };
        for (own, side) in records.into_iter().zip(sides) {
            match side {
                [true, true] => people.mixed += 1,
                [false, false] => {}
                [_, member] => {
                    people.records.push(own);
                    people.member.push(member);
                }
            }
        }
        people
    }

    pub fn len(&self) -> usize {
        self.member.len()
    }

    pub fn is_empty(&self) -> bool {
        self.member.is_empty()
    }

    pub fn members(&self) -> usize {
        self.member.iter().filter(|member| **member).count()
    }

    pub fn nonmembers(&self) -> usize {
        self.len() - self.members()
    }

    pub fn is_member(&self, person: usize) -> bool {
        self.member[person]
    }

    /// The records of a person.
    pub fn records(&self, person: usize) -> &[usize] {
        &self.records[person]
    }

    /// Refused where all are of one kind.
    pub fn truth(&self) -> Result<Truth, Error> {
        Truth::new(self.member.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_on_both_sides_have_no_truth() {
        let groups = Groups::new("person", [0, 0, 1, 2, 2, 1].map(Some));
        let truth = Truth::new([true, true, false, true, false, false]).unwrap();
        let people = People::new(&groups, &truth);
        assert_eq!((people.members(), people.nonmembers()), (1, 1));
        assert_eq!((people.mixed, people.several), (1, 3));
        assert_eq!(people.records(1), [2, 5]);
        assert_eq!(people.truth().unwrap().len(), 2);
    }
}
