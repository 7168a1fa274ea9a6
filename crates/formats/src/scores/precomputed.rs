//! What a reader of scores found, checked as a whole.

use std::collections::HashSet;
use std::path::Path;

use attacks::scores::{Abstention, Scores};

use super::{Levels, MEMBER_HINT};
use crate::ids::Ids;
use crate::left_out::LeftOut;
use crate::{Error, Result};

/// Scores that were made elsewhere, with the truth.
#[derive(Debug)]
pub struct PrecomputedScores {
    pub format: &'static str,
    pub ids: Option<Ids>,
    /// Nothing where nobody knows.
    pub members: Vec<Option<bool>>,
    /// By the name of their column; what was null is an abstention.
    pub columns: Vec<(String, Scores)>,
    /// Columns that hold no numbers.
    pub others: Vec<LeftOut>,
    /// What a reader should know beside them.
    pub notes: Vec<String>,
    /// What the audit that wrote the file judged besides its records.
    pub levels: Option<Levels>,
    /// Why no record's membership is known, where none is.
    pub untold: Option<Error>,
}

/// Before it is known to fit together.
pub(crate) struct Draft {
    pub format: &'static str,
    pub ids: Option<Ids>,
    pub members: Option<Vec<Option<bool>>>,
    pub columns: Vec<(String, Numbers)>,
    /// Columns that hold no numbers.
    pub others: Vec<LeftOut>,
    /// Columns that say nothing of a record.
    pub indices: Vec<String>,
    pub levels: Option<Levels>,
}

impl Draft {
    pub(crate) fn new(format: &'static str) -> Self {
        Self {
            format,
            ids: None,
            members: None,
            columns: Vec::new(),
            others: Vec::new(),
            indices: Vec::new(),
            levels: None,
        }
    }
}

/// The numbers of a column as they are read: one word per record, whatever is absent.
#[derive(Default)]
pub(crate) struct Numbers {
    scores: Scores,
    /// The first row that holds no number where one was meant.
    broken: Option<usize>,
}

impl Numbers {
    pub(crate) fn with_capacity(records: usize) -> Self {
        Self {
            scores: Scores::with_capacity(records),
            broken: None,
        }
    }

    pub(crate) fn push(&mut self, value: Option<f64>) {
        if value.is_some_and(f64::is_nan) {
            self.broken.get_or_insert(self.scores.len());
        }
        self.scores.extend([value.ok_or(Abstention::NotGiven)]);
    }

    pub(crate) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Up to so many records: those that say nothing have no score.
    pub(crate) fn fill(&mut self, records: usize) {
        while self.scores.len() < records {
            self.push(None);
        }
    }
}

impl Extend<Option<f64>> for Numbers {
    fn extend<I: IntoIterator<Item = Option<f64>>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

impl FromIterator<Option<f64>> for Numbers {
    fn from_iter<I: IntoIterator<Item = Option<f64>>>(values: I) -> Self {
        let mut numbers = Self::default();
        numbers.extend(values);
        numbers
    }
}

impl Draft {
    /// `place` says how a user finds a row.
    pub(crate) fn finish(
        self,
        path: &Path,
        place: &dyn Fn(usize) -> String,
    ) -> Result<PrecomputedScores> {
        let notes = self.notes();
        let missing = match &self.members {
            None => Some(no_member(&self.columns, &self.others).at(path)),
            Some(members) => (members.iter().all(Option::is_none)).then(|| no_truth().at(path)),
        };
        let rows = self.columns.first().map_or(0, |(_, values)| values.len());
        let members = match (self.members, missing.clone()) {
            (Some(members), _) => members,
            (None, Some(error)) if rows == 0 => return Err(error),
            (None, _) => vec![None; rows],
        };
        if members.is_empty() {
            return Err(Error::malformed("there are no rows")
                .at(path)
                .hint("write one row per record"));
        }
        if self.columns.is_empty() {
            return Err(missing.unwrap_or_else(|| no_scores(&self.others).at(path)));
        }
        check_names(&self.columns).map_err(|error| error.at(path))?;
        let columns = self.columns.into_iter().map(|(name, values)| {
            let scores = scores(&name, values, members.len(), place)?;
            Ok((name, scores))
        });
        let columns: Result<_> = columns.collect();
        Ok(PrecomputedScores {
            format: self.format,
            ids: self.ids,
            columns: columns.map_err(|error| error.at(path))?,
            members,
            others: self.others,
            notes,
            levels: self.levels,
            untold: missing,
        })
    }

    fn notes(&self) -> Vec<String> {
        let note = |name: &String| format!("column {name} holds labels of rows: left out");
        self.indices.iter().map(note).collect()
    }
}

fn scores(
    name: &str,
    values: Numbers,
    records: usize,
    place: &dyn Fn(usize) -> String,
) -> Result<Scores> {
    if values.len() != records {
        let count = values.len();
        return Err(Error::mismatch(format!(
            "{name} has {count} scores but member has {records} records"
        ))
        .hint("one score per record, in the same order"));
    }
    if let Some(row) = values.broken {
        let row = place(row);
        return Err(Error::malformed(format!("column {name}, {row} is NaN"))
            .hint("mend the value; where an attack has no score, leave the cell empty (null)"));
    }
    if values.scores.abstained() == records {
        return Err(Error::malformed(format!("column {name} has no score"))
            .hint("fill it in, or leave the column out"));
    }
    Ok(values.scores)
}

fn check_names(columns: &[(String, Numbers)]) -> Result<()> {
    let mut seen = HashSet::new();
    match columns.iter().find(|(name, _)| !seen.insert(name)) {
        None => Ok(()),
        Some((name, _)) => {
            Err(Error::malformed(format!("two columns are named {name}"))
                .hint("rename one of them"))
        }
    }
}

fn no_member(columns: &[(String, Numbers)], others: &[LeftOut]) -> Error {
    let numbers = columns.iter().map(|(name, _)| name.as_str());
    let names: Vec<&str> = numbers
        .chain(others.iter().map(|other| other.name.as_str()))
        .collect();
    Error::missing(format!(
        "there is no column member; the columns are: {}",
        names.join(", ")
    ))
    .hint(MEMBER_HINT)
}

fn no_scores(others: &[LeftOut]) -> Error {
    const HINT: &str = "give a column of scores per attack: larger means more likely a member";
    let missing = "there is no column of numbers beside member";
    let doubted = others
        .iter()
        .find_map(|other| Some((other, other.doubt.as_ref()?)));
    match (doubted, others.first()) {
        (Some((other, doubt)), _) => {
            Error::missing(format!("{missing}; column {} {}", other.name, doubt.why))
                .hint(format!("{}; {HINT}", doubt.remedy))
        }
        (None, Some(other)) => {
            let (name, holds) = (&other.name, &other.holds);
            Error::missing(format!("{missing}; column {name} holds {holds}")).hint(HINT)
        }
        (None, None) => Error::missing(missing).hint(HINT),
    }
}

/// A truth value that is written as a number. `place` is asked for where the value is neither: a line of a
/// CSV is counted from the beginning of the file.
pub(crate) fn flag(value: f64, place: impl FnOnce() -> String) -> Result<bool> {
    match value {
        0.0 => Ok(false),
        1.0 => Ok(true),
        other => {
            let place = place();
            Err(Error::malformed(format!("column member, {place} is {other}")).hint(MEMBER_HINT))
        }
    }
}

/// A column of truth values that says nothing.
fn no_truth() -> Error {
    Error::malformed("column member is empty in every row").hint(
        "say of some records whether they are members: those of unknown membership are held against \
         known non-members",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_truth_is_looked_for_where_it_is_wrong_alone() {
        let nowhere = || -> String { panic!("a line was counted for a sound value") };
        assert!(flag(1.0, nowhere).unwrap());
        assert!(!flag(0.0, nowhere).unwrap());
        let error = flag(2.0, || "line 7".to_owned()).unwrap_err();
        assert!(error.to_string().contains("line 7 is 2"), "{error}");
    }
}
