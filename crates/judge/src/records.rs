//! The records that are exposed most, for people to search and sort: what the gated attack says of
//! each, where that stands among the non-members, and how many of the other attacks agree. A report
//! knows a record by its number alone, unless the user asked for more.

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};

use crate::abstained::no_evidence;
use crate::diagnostics::vulnerability::Exposure;
use crate::diagnostics::{CATCHING_FPR, Exposures};
use crate::ranking::false_positive_budget;

/// How many records a report lists.
pub const LISTED: usize = 500;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Records {
    /// The attack that ranks them.
    pub attack: String,
    /// At which they are called caught.
    pub fpr: f64,
    /// How many records the attack judged.
    pub total: usize,
    /// Most exposed first.
    pub listed: Vec<Record>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Record {
    /// From 0, in the order of `scores.parquet`.
    pub row: usize,
    /// Absent where records are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Absent where nobody knows, or where records are not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<bool>,
    /// Absent where it is infinite.
    pub score: Option<f64>,
    /// The share of non-members that score below, ties counting one half.
    pub percentile: f64,
    /// Whether the score is at or above the attack's cut.
    pub caught: bool,
    /// How many attacks put the record at or above their own cut.
    pub caught_by: usize,
    /// The record over several targets, and the lower bound on its chance of being caught.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposure: Option<Exposure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catch_rate_low: Option<f64>,
}

impl Record {
    /// Without what says who it is, and whose it is.
    pub fn withhold(&mut self) {
        self.id = None;
        self.member = None;
        self.exposure = None;
    }

    /// As a reader knows it.
    pub fn name(&self) -> String {
        self.id.clone().unwrap_or_else(|| self.row.to_string())
    }
}

/// Records by their numbers, for a sentence that may be read by anybody: never by their ids.
pub fn numbered(rows: &[usize]) -> String {
    let numbers: Vec<String> = rows.iter().map(usize::to_string).collect();
    let plural = if rows.len() == 1 { "" } else { "s" };
    format!(
        "record{plural} {} (from 0, in the order of scores.parquet)",
        numbers.join(", ")
    )
}

/// What the table is made from.
pub struct Judged<'a> {
    pub scores: &'a [(String, Scores)],
    /// Who is a member, where that is known.
    pub members: &'a [Option<bool>],
    /// Over several targets, with the level of their bounds.
    pub exposures: Option<(&'a Exposures, f64)>,
}

impl Judged<'_> {
    /// The records that an attack exposes most; nothing where it has no non-member to compare with.
    pub fn records(&self, attack: &str, id: impl Fn(usize) -> String) -> Option<Records> {
        let (_, scores) = self.scores.iter().find(|(other, _)| other == attack)?;
        let others = Others::new(scores, self.members)?;
        let bounds = self
            .exposures
            .map(|(found, level)| found.lower_bounds(level));
        let bound = |row: usize| bounds.as_ref().map(|bounds| bounds[row]);
        let judged = (0..scores.len()).filter_map(|row| Some((row, scores.get(row)?)));
        let mut order: Vec<(usize, f64)> = judged.collect();
        let total = order.len();
        let before = |a: &(usize, f64), b: &(usize, f64)| {
            let bounds = bound(b.0)
                .unwrap_or(0.0)
                .total_cmp(&bound(a.0).unwrap_or(0.0));
            bounds.then(b.1.total_cmp(&a.1)).then(a.0.cmp(&b.0))
        };
        if total > LISTED {
            order.select_nth_unstable_by(LISTED, before);
            order.truncate(LISTED);
        }
        order.sort_unstable_by(before);
        let cuts = self.cuts();
        let record = |(row, score): (usize, f64)| Record {
            row,
            id: Some(id(row)),
            member: self.members.get(row).copied().flatten(),
            score: Some(score).filter(|score| score.is_finite()),
            percentile: others.percentile(score),
            caught: others.cut.catches(score),
            caught_by: cuts
                .iter()
                .filter(|(cut, scores)| cut.catches_row(scores, row))
                .count(),
            exposure: self.exposures.map(|(found, _)| found.records()[row]),
            catch_rate_low: bound(row),
        };
        Some(Records {
            attack: attack.to_owned(),
            fpr: CATCHING_FPR,
            total,
            listed: order.into_iter().map(record).collect(),
        })
    }

    fn cuts(&self) -> Vec<(Cut, &Scores)> {
        use rayon::prelude::*;
        let cut =
            |(_, scores): &'_ (String, Scores)| Cut::new(&mut nonmembers(scores, self.members));
        let cuts: Vec<Option<Cut>> = self.scores.par_iter().map(cut).collect();
        let scores = self.scores.iter().map(|(_, scores)| scores);
        cuts.into_iter()
            .zip(scores)
            .filter_map(|(cut, scores)| Some((cut?, scores)))
            .collect()
    }
}

/// All of them, those that the attack abstained on where its scores carry no evidence.
fn nonmembers(scores: &Scores, members: &[Option<bool>]) -> Vec<f64> {
    let known = |wanted: fn(bool) -> bool| {
        let rows = scores.len().min(members.len());
        (0..rows).filter(move |&row| members[row].is_some_and(wanted))
    };
    let given = known(|_| true).filter_map(|row| scores.get(row));
    let place = match scores.left_out() {
        0 => None,
        _ => no_evidence(given.collect()),
    };
    known(|member| !member)
        .filter_map(|row| match scores.answer(row) {
            Err(reason) if reason.is_by_design() => None,
            answer => answer.ok().or(place),
        })
        .collect()
}

/// The step rule: caught is whoever scores above the first non-member that may not be.
struct Cut {
    /// Nothing where every non-member may be caught.
    above: Option<f64>,
}

impl Cut {
    /// Nothing without non-members. Changes their order.
    fn new(nonmembers: &mut [f64]) -> Option<Self> {
        let budget = false_positive_budget(CATCHING_FPR, nonmembers.len() as u64) as usize;
        if nonmembers.is_empty() {
            return None;
        }
        let above = (budget < nonmembers.len()).then(|| {
            let (_, first, _) = nonmembers.select_nth_unstable_by(budget, |a, b| b.total_cmp(a));
            *first
        });
        Some(Cut { above })
    }

    fn catches(&self, score: f64) -> bool {
        self.above.is_none_or(|above| score > above)
    }

    fn catches_row(&self, scores: &Scores, row: usize) -> bool {
        scores.get(row).is_some_and(|score| self.catches(score))
    }
}

/// The non-members of the attack that ranks.
struct Others {
    /// Ascending.
    sorted: Vec<f64>,
    cut: Cut,
}

impl Others {
    fn new(scores: &Scores, members: &[Option<bool>]) -> Option<Self> {
        use rayon::prelude::*;
        let mut sorted = nonmembers(scores, members);
        let cut = Cut::new(&mut sorted)?;
        sorted.par_sort_unstable_by(f64::total_cmp);
        Some(Others { sorted, cut })
    }

    fn percentile(&self, score: f64) -> f64 {
        let below = self.sorted.partition_point(|other| *other < score);
        let upto = self.sorted.partition_point(|other| *other <= score);
        (below + upto) as f64 / (2 * self.sorted.len()) as f64
    }
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
