//! Persons: where several records belong to one person, the person is who was a member or was not.
//!
//! People go in or out of a training set as a whole, and what an attacker asks is whether somebody was
//! in it. So an audit with persons gives two levels. By record: every measure as without persons, with
//! intervals that count people ([`measure_by_person`]). By person: the scores of a person's records are
//! joined into one ([`Join`]), and the same measures are taken of people ([`Persons`]). Bootstrap and
//! power count people at both.

mod bootstrap;
mod clustered;
mod groups;
mod join;
mod likelihood;
mod people;
mod records;
mod sorted;
mod verdict;

use attacks::scores::Scores;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::streams::Seed;

pub use groups::Groups;
pub use join::{Join, joined};
pub use people::People;
pub use records::measure_by_person;
pub use verdict::Levels;

use crate::measure::Auc;
use crate::measure::auc::auc;
use crate::{AttackMeasures, Options, Truth, correct_levels, measure};

/// How many people stand behind the records of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PersonCounts {
    pub members: u64,
    pub nonmembers: u64,
}

/// The level of persons in a report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Persons {
    /// The column or field that tells people apart.
    pub group: String,
    pub join: Join,
    /// People whose records are all members, all non-members, and both.
    pub members: usize,
    pub nonmembers: usize,
    pub mixed: usize,
    /// People with more than one record, mixed ones among them.
    pub several: usize,
    /// Records that name nobody: each is a person of its own.
    pub unnamed: usize,
    /// The most records of one person, and the middle one of all people.
    pub most_records: usize,
    pub median_records: usize,
    /// How well the number of a person's records alone tells members apart; absent with people of one
    /// kind only, or where all have the same number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count_auc: Option<Auc>,
    /// Measures of people, in the order of the attacks; none where people cannot be judged.
    pub attacks: Vec<AttackMeasures>,
    /// The same by the other ways of joining, for the guardrail that compares them; not stored.
    #[serde(skip)]
    pub others: Vec<(Join, Vec<AttackMeasures>)>,
}

/// Joins every attack's scores by person and measures them.
pub fn judge_persons(
    scores: &[(String, Scores)],
    truth: &Truth,
    groups: &Groups,
    join: Join,
    options: &Options,
) -> Persons {
    let people = People::new(groups, truth);
    let mut attacks = measure_joined(scores, &people, join, options);
    correct_levels(&mut attacks);
    let quick = Options {
        bootstrap_replicates: 0,
        ..options.clone()
    };
    let others = Join::ALL.into_iter().filter(|other| *other != join);
    let others = others.map(|other| {
        let mut attacks = measure_joined(scores, &people, other, &quick);
        correct_levels(&mut attacks);
        (other, attacks)
    });
    let mut sizes: Vec<usize> = (0..people.len())
        .map(|person| people.records(person).len())
        .collect();
    sizes.sort_unstable();
    Persons {
        group: groups.name().to_owned(),
        join,
        members: people.members(),
        nonmembers: people.nonmembers(),
        mixed: people.mixed,
        several: people.several,
        unnamed: groups.unnamed(),
        most_records: sizes.last().copied().unwrap_or(0),
        median_records: sizes.get(sizes.len() / 2).copied().unwrap_or(0),
        count_auc: count_auc(&people, options),
        attacks,
        others: others.collect(),
    }
}

/// Every attack on people; nothing where all people are of one kind.
fn measure_joined(
    scores: &[(String, Scores)],
    people: &People,
    join: Join,
    options: &Options,
) -> Vec<AttackMeasures> {
    let Ok(truth) = people.truth() else {
        return Vec::new();
    };
    let found = scores.par_iter().filter_map(|(id, scores)| {
        let joined = joined(scores, people, join, Seed(options.seed));
        // An attack that could judge one kind of people only has no measure of them.
        measure(id, &joined, &truth, options).ok()
    });
    found.collect()
}

/// What the number of records gives away without any model.
fn count_auc(people: &People, options: &Options) -> Option<Auc> {
    let size = |person: usize| people.records(person).len() as f64;
    let counted = (0..people.len()).map(|person| (size(person), people.is_member(person)));
    let roc = Roc::new(counted)?;
    (roc.points().len() > 2).then(|| auc(&roc, options.confidence, options.auc_scale))
}
