//! What designs of records draw on, and what they make.

use std::collections::{BTreeMap, HashSet};

use formats::rows::{Composed, RowTable};
use stats::streams::{Rng, below};

use crate::{Error, Result};

/// The user's records.
pub(crate) struct RecordSource<'a> {
    pub table: &'a RowTable,
    /// What each record's features amount to.
    pub digests: Vec<String>,
    /// The rows of every class.
    classes: Vec<Vec<usize>>,
    /// Features of records and of canaries that are there already.
    known: HashSet<String>,
    /// Features of records that became canaries.
    taken: HashSet<String>,
}

/// A canary before it has a name.
pub(crate) struct Made {
    pub record: Composed,
    /// The features of the record that it is made of: no record with these is trained on beside it.
    pub original: Option<String>,
}

impl<'a> RecordSource<'a> {
    pub fn new(table: &'a RowTable) -> Result<Self> {
        let mut classes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (row, label) in table.labels.iter().enumerate() {
            classes.entry(label).or_default().push(row);
        }
        if classes.len() < 2 {
            return Err(Error::malformed(format!(
                "all {} records have one label: a random one cannot be told from it",
                table.len()
            ))
            .at(&table.path)
            .hint("name the column of the classes with --label"));
        }
        let digest = |row: usize| table.digest(&Composed::whole(row));
        let digests: Vec<String> = (0..table.len()).map(digest).collect();
        Ok(Self {
            known: digests.iter().cloned().collect(),
            digests,
            classes: classes.into_values().collect(),
            taken: HashSet::new(),
            table,
        })
    }

    /// A row of any class, every class as likely as any other.
    pub fn any_class(&self, rng: &mut impl Rng) -> usize {
        self.classes[below(rng, self.classes.len() as u32) as usize][0]
    }

    /// A row of a class other than this row's, every one as likely as any other.
    pub fn other_class(&self, row: usize, rng: &mut impl Rng) -> usize {
        let own = &self.table.labels[row];
        let mut others = self.classes.iter().map(|rows| rows[0]);
        let others = others
            .by_ref()
            .filter(|other| self.table.labels[*other] != *own);
        let others: Vec<usize> = others.collect();
        others[below(rng, others.len() as u32) as usize]
    }

    /// Whether no record and no canary has these features; from now on one has.
    pub fn is_fresh(&mut self, record: &Composed) -> bool {
        self.known.insert(self.table.digest(record))
    }

    /// Whether no canary is made of this record or a copy of it; from now on one is.
    pub fn take(&mut self, row: usize) -> bool {
        self.taken.insert(self.digests[row].clone())
    }
}
