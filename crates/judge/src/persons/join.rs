//! One score per person from the scores of the person's records.
//!
//! The sum of log-likelihood ratios is what tells a member best where a person's records speak
//! independently, and it lets many faint signs add up. Ratios are learned from people with known
//! membership, so they are cross-fitted: a person's records are read by a map that was fitted on other
//! people's records alone, and people are dealt into folds by the seed, never by the scores. Where ratios
//! say the same of two people, the mean rank of their records orders them.

use attacks::scores::{Abstention, Answer, Scores};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::streams::{Seed, shuffle};

use super::People;
use super::likelihood::Likelihood;

/// Smaller than any difference of ratios, and larger than what is lost beside one.
const TIE: f64 = 1e-9;
/// Folds of people; fewer where there are fewer people of a kind.
const FOLDS: usize = 5;

/// How the records of a person become one score.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// The sum of calibrated log-likelihood ratios.
    #[default]
    Sum,
    /// Their mean.
    Mean,
    /// The largest score.
    Max,
}

impl Join {
    pub const ALL: [Join; 3] = [Join::Sum, Join::Mean, Join::Max];

    pub fn as_str(self) -> &'static str {
        match self {
            Join::Sum => "sum",
            Join::Mean => "mean",
            Join::Max => "max",
        }
    }

    /// For a report.
    pub fn about(self) -> &'static str {
        match self {
            Join::Sum => "the sum of calibrated log-likelihood ratios of a person's records",
            Join::Mean => "the mean of calibrated log-likelihood ratios of a person's records",
            Join::Max => "the largest score among a person's records",
        }
    }
}

/// One answer per person, in the order of `people`. Records that the attack abstained on add nothing;
/// a person with none else is abstained on.
pub fn joined(scores: &Scores, people: &People, join: Join, seed: Seed) -> Scores {
    match join {
        Join::Max => (0..people.len())
            .map(|person| {
                let own = people.records(person).iter();
                let given = own.filter_map(|&record| scores.get(record));
                given
                    .reduce(f64::max)
                    .ok_or_else(|| silent(scores, people, person))
            })
            .collect(),
        Join::Sum | Join::Mean => cross_fitted(scores, people, join, seed),
    }
}

fn cross_fitted(scores: &Scores, people: &People, join: Join, seed: Seed) -> Scores {
    let mut answers: Vec<Answer> = (0..people.len())
        .map(|person| Err(silent(scores, people, person)))
        .collect();
    let folds = folds(people, seed);
    let mut fold_of = vec![usize::MAX; people.len()];
    for (fold, own) in folds.iter().enumerate() {
        own.iter().for_each(|&person| fold_of[person] = fold);
    }
    let found: Vec<Vec<(usize, f64)>> = folds
        .par_iter()
        .enumerate()
        .map(|(fold, own)| {
            let rest = (0..people.len()).filter(|&person| fold_of[person] != fold);
            let taught = rest.flat_map(|person| {
                let member = people.is_member(person);
                let records = people.records(person).iter();
                records.filter_map(move |&record| Some((scores.get(record)?, member)))
            });
            let Some(map) = Likelihood::fit(taught.collect()) else {
                return Vec::new();
            };
            let read =
                |&person: &usize| Some((person, join_ratios(&map, scores, people, person, join)?));
            own.iter().filter_map(read).collect()
        })
        .collect();
    for (person, score) in found.into_iter().flatten() {
        answers[person] = Ok(score);
    }
    answers.into_iter().collect()
}

fn join_ratios(
    map: &Likelihood,
    scores: &Scores,
    people: &People,
    person: usize,
    join: Join,
) -> Option<f64> {
    let own = people.records(person).iter();
    let given: Vec<f64> = own.filter_map(|&record| scores.get(record)).collect();
    let count = given.len() as f64;
    let sum: f64 = given.iter().map(|score| map.ratio(*score)).sum();
    let ratio = match join {
        Join::Mean => sum / count,
        _ => sum,
    };
    // People whose records fall into the same blocks are ordered by the mean rank of the records.
    let ranks: f64 = given.iter().map(|score| map.rank(*score)).sum();
    (!given.is_empty()).then(|| ratio + TIE * ranks / count)
}

/// Members and non-members dealt out in turn, in an order drawn by the seed. Nothing where a fold
/// would leave no person of a kind to learn from.
fn folds(people: &People, seed: Seed) -> Vec<Vec<usize>> {
    let count = FOLDS.min(people.members()).min(people.nonmembers());
    if count < 2 {
        return Vec::new();
    }
    let mut folds = vec![Vec::new(); count];
    for (kind, name) in [(true, "persons in"), (false, "persons out")] {
        let mut own: Vec<usize> = (0..people.len())
            .filter(|&person| people.is_member(person) == kind)
            .collect();
        shuffle(&mut seed.stream(name), &mut own);
        for (turn, person) in own.into_iter().enumerate() {
            folds[turn % count].push(person);
        }
    }
    folds
}

/// Why there is nothing to join: what the attack said of the person's first record.
fn silent(scores: &Scores, people: &People, person: usize) -> Abstention {
    let first = people.records(person).first();
    first
        .and_then(|&record| scores.answer(record).err())
        .unwrap_or(Abstention::Undefined)
}
