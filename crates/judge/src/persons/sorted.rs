//! The judged records with their people, best score first: what intervals by person are counted on.

use std::ops::Range;

/// One judged record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub person: u32,
    pub score: f64,
    pub member: bool,
}

/// Sorted once; ties are ranges of equal score.
pub struct Sorted {
    pub records: Vec<Placed>,
    pub people: usize,
    pub members: f64,
    pub nonmembers: f64,
}

impl Sorted {
    pub fn new(mut records: Vec<Placed>, people: usize) -> Self {
        records.sort_by(|a, b| b.score.total_cmp(&a.score));
        let members = records.iter().filter(|record| record.member).count() as f64;
        Sorted {
            people,
            members,
            nonmembers: records.len() as f64 - members,
            records,
        }
    }

    /// Ranges of records that share a score, from the highest; −0 is 0.
    pub fn ties(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        self.records
            .chunk_by(|a, b| a.score == b.score)
            .map(move |tie| {
                let range = start..start + tie.len();
                start = range.end;
                range
            })
    }

    /// Of each person, how many records are members and how many are not.
    pub fn sizes(&self) -> Vec<[f64; 2]> {
        let mut sizes = vec![[0.0; 2]; self.people];
        for record in &self.records {
            sizes[record.person as usize][usize::from(record.member)] += 1.0;
        }
        sizes
    }

    /// How many people have a record of this kind.
    pub fn people_with(&self, member: bool) -> u64 {
        let with = |size: &&[f64; 2]| size[usize::from(member)] > 0.0;
        self.sizes().iter().filter(with).count() as u64
    }
}
