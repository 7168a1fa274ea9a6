//! Epsilon from one training run in which every record had a fair coin of its own, with guesses on
//! both sides: the highest scores are called members, the lowest non-members, the rest is left open.
//!
//! Theorem 5.2 of Steinke, Nasr and Jagielski 2023 bounds the number of right guesses by the number of
//! guesses alone, whichever way they point; see [`one_run::p_value`]. Three things keep it a proof:
//!
//! - **Cuts are decided by the number of records.** Of m records, m, m/2, m/4, m/8 and m/16 are guessed,
//!   half of them on either side, and m/8 and m/16 at the top alone, for what is remembered rarely and
//!   then for sure. Each has a fixed share of the error, and the best counts: on Gaussian and on
//!   randomised-response mechanisms of 200 to 5,000 records the middle cuts prove most, so that they
//!   have the larger shares.
//! - **The number of guesses is fixed too.** With δ > 0 it must not follow the scores: where scores are
//!   equal, lots decide who is guessed, and a cut that runs out of scored records is charged in full.
//! - **Repeated records are groups.** One that was trained on r times changes r places of the data. An
//!   (ε, δ)-DP mechanism grants a group of r no more than (rε, δ·(e^{rε} − 1)/(e^ε − 1)) (Dwork and Roth
//!   2014, theorem 2.2, by induction), which is held against the guesses in place of (ε, δ).

use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::streams::{Rng, Seed, below};

use super::candidates::Guesses;
use super::one_run::{COINS, p_value};
use super::root::largest_refuted;
use super::{Claim, EpsilonBound};
use crate::ranking::groups;

/// What the bound is called.
pub const METHOD: &str = "one-run, both sides, bonferroni";

/// One in so many records is guessed on a side, and the share of the error in twentieths.
const BOTH_SIDES: [(u64, u64); 5] = [(2, 2), (4, 4), (8, 5), (16, 5), (32, 2)];
const TOP_ALONE: [(u64, u64); 2] = [(8, 1), (16, 1)];

/// Fewer guesses refute nothing at any usual level, even if all are right: 2⁻⁵ is above 0.05 times any
/// of the shares.
const FEWEST: u64 = 6;

/// What was guessed at one cut, and how many guesses are right.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CoinCut {
    /// Guessed to be members, and to be none.
    pub above: u64,
    pub below: u64,
    pub correct: u64,
    /// The part of the error that this cut may spend.
    pub share: f64,
}

impl CoinCut {
    fn guesses(&self) -> Guesses {
        Guesses {
            made: self.above + self.below,
            correct: self.correct,
        }
    }
}

/// The guesses of one attack about records that had coins of their own: enough to give the bound at any
/// δ and any confidence again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CoinGuesses {
    /// Records with a coin, scored or not.
    pub records: u64,
    /// Those of them that were included.
    pub included: u64,
    /// How often each was trained on if its coin said so.
    pub repetitions: u64,
    pub cuts: Vec<CoinCut>,
}

impl CoinGuesses {
    /// Scores and truth of the records that were scored, and how many more had a coin and no score.
    pub fn new(scored: &[(f64, bool)], unscored: &[bool], repetitions: u64, seed: Seed) -> Self {
        let records = (scored.len() + unscored.len()) as u64;
        let coins = scored.iter().map(|(_, member)| member).chain(unscored);
        let included = coins.filter(|member| **member).count() as u64;
        let order = ordered(scored, seed);
        let cut = |(above, below, share): (u64, u64, f64)| CoinCut {
            above,
            below,
            correct: right(&order, above as usize, below as usize),
            share,
        };
        CoinGuesses {
            records,
            included,
            repetitions,
            cuts: grid(records).into_iter().map(cut).collect(),
        }
    }

    /// The largest ε of one record that these guesses refute, and the cut that does.
    pub fn bound(&self, claim: &Claim) -> (f64, Option<CoinCut>) {
        let mut best = (0.0, None);
        for cut in &self.cuts {
            let error = (1.0 - claim.confidence) * cut.share;
            let refuted = |epsilon| self.p_value(cut, epsilon, claim.delta) < error;
            let value = largest_refuted(best.0, 1e3, 1e-10, refuted);
            if value > best.0 {
                best = (value, Some(*cut));
            }
        }
        best
    }

    /// The chance of so many right guesses at a cut, were a record protected by (ε, δ).
    fn p_value(&self, cut: &CoinCut, epsilon: f64, delta: f64) -> f64 {
        let (epsilon, delta) = group(epsilon, delta, self.repetitions);
        p_value(self.records, cut.guesses(), epsilon, delta)
    }

    pub fn epsilon_bound(&self, claim: &Claim) -> EpsilonBound {
        let (value, cut) = self.bound(claim);
        EpsilonBound {
            value,
            delta: claim.delta,
            confidence: claim.confidence,
            method: METHOD.to_owned(),
            cuts: self.cuts.len(),
            tp: cut.map(|cut| cut.correct),
            fp: cut.map(|cut| cut.guesses().made - cut.correct),
            mu: None,
            n_members: self.included,
            n_nonmembers: self.records - self.included,
            note: self.note(),
        }
    }

    /// What the bound takes for granted.
    pub fn note(&self) -> String {
        match self.repetitions {
            1 => COINS.to_owned(),
            times => format!(
                "{COINS}; each was trained on {times} times, and the bound is for one of them by group \
                 privacy"
            ),
        }
    }

    /// The bound, had every guess been right.
    pub fn largest(&self, claim: &Claim) -> f64 {
        largest(self.records, self.repetitions, claim)
    }
}

/// The bound that so many records with coins give where every guess is right.
pub fn largest(records: u64, repetitions: u64, claim: &Claim) -> f64 {
    let cut = |(above, below, share): (u64, u64, f64)| CoinCut {
        above,
        below,
        correct: above + below,
        share,
    };
    let perfect = CoinGuesses {
        records,
        included: 0,
        repetitions,
        cuts: grid(records).into_iter().map(cut).collect(),
    };
    perfect.bound(claim).0
}

/// What a group of so many records is granted where one is granted (ε, δ).
fn group(epsilon: f64, delta: f64, records: u64) -> (f64, f64) {
    let sum: f64 = (0..records)
        .map(|other| (other as f64 * epsilon).exp())
        .sum();
    (records as f64 * epsilon, (delta * sum).min(1.0))
}

/// Guesses above and below at every cut, with their shares of the error; by the number of records alone.
fn grid(records: u64) -> Vec<(u64, u64, f64)> {
    let both = BOTH_SIDES.map(|(part, weight)| (records / part, records / part, weight));
    let top = TOP_ALONE.map(|(part, weight)| (records / part, 0, weight));
    let cuts: Vec<(u64, u64, u64)> = (both.into_iter().chain(top))
        .filter(|(above, below, _)| above + below >= FEWEST)
        .collect();
    let all: u64 = cuts.iter().map(|(_, _, weight)| weight).sum();
    let share = |weight: u64| weight as f64 / all as f64;
    cuts.into_iter()
        .map(|(above, below, weight)| (above, below, share(weight)))
        .collect()
}

/// Who is a member, from the highest score to the lowest; equal scores in an order drawn by lot. It is a
/// function of the counts of every score, so that the order in which records came changes nothing.
fn ordered(scored: &[(f64, bool)], seed: Seed) -> Vec<bool> {
    let Some(roc) = Roc::new(scored.iter().copied()) else {
        return scored.iter().map(|(_, member)| *member).collect();
    };
    let mut lots = seed.stream("one-run ties");
    let mut order = Vec::with_capacity(scored.len());
    for group in groups(&roc) {
        let (mut members, mut left) = (group.members, group.members + group.nonmembers);
        while left > 0 {
            let member = drawn(&mut lots, left) < members;
            members -= u64::from(member);
            left -= 1;
            order.push(member);
        }
    }
    order
}

/// A lot without a choice is not drawn.
fn drawn<R: Rng>(lots: &mut R, left: u64) -> u64 {
    match left {
        1 => 0,
        _ => u64::from(below(lots, left as u32)),
    }
}

/// How many of so many guesses at the top and at the bottom are right, where both get their half of what
/// there is if that is less.
fn right(order: &[bool], above: usize, below: usize) -> u64 {
    let (above, below) = match above + below <= order.len() {
        true => (above, below),
        false => {
            let above = above.min(order.len() - below.min(order.len() / 2));
            (above, below.min(order.len() - above))
        }
    };
    let members = order[..above].iter().filter(|member| **member).count();
    let others = order[order.len() - below..].iter();
    let nonmembers = others.filter(|member| !**member).count();
    (members + nonmembers) as u64
}

#[cfg(test)]
#[path = "coins_tests.rs"]
mod tests;
