//! What labels that know nothing would reach: the same labels, handed to other items.

use attacks::source::Label;
use serde::{Deserialize, Serialize};
use stats::streams::{Seed, shuffle};

use super::confusion::{Confusion, called_counts, right, true_counts};

pub(super) const SHUFFLES: usize = 9_999;

/// What an accuracy must be read beside.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Chance {
    /// Of the labels as often as they were called, on shuffled items: Σ pₖ·qₖ.
    pub expected_accuracy: f64,
    /// Of calling every item what most of them are.
    pub majority: f64,
    /// The chance of an accuracy as high with shuffled labels, by so many shuffles.
    pub p_value: f64,
    pub shuffles: usize,
}

/// The accuracy over shuffled labels: its mean, and the middle 95%.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Shuffled {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
    pub shuffles: usize,
}

pub(super) fn chance(truth: &[Label], called: &[Label], table: &Confusion, seed: Seed) -> Chance {
    let n = truth.len() as f64;
    let share = |count: u64| count as f64 / n;
    let truths = true_counts(table).map(share);
    let calls = called_counts(table).map(share);
    let found = right(table) as usize;
    let as_good = matches(truth, called, SHUFFLES, seed)
        .filter(|matches| *matches >= found)
        .count();
    Chance {
        expected_accuracy: truths.iter().zip(calls).map(|(p, q)| p * q).sum(),
        majority: truths.into_iter().fold(0.0, f64::max),
        p_value: (1 + as_good) as f64 / (1 + SHUFFLES) as f64,
        shuffles: SHUFFLES,
    }
}

/// Nothing where there is no item or no shuffle.
pub fn shuffled(
    truth: &[Label],
    called: &[Label],
    shuffles: usize,
    seed: Seed,
) -> Option<Shuffled> {
    let n = truth.len().min(called.len());
    if n == 0 || shuffles == 0 {
        return None;
    }
    let mut found: Vec<usize> = matches(truth, called, shuffles, seed).collect();
    found.sort_unstable();
    let at = |share: f64| {
        let rank = (share * shuffles as f64).ceil() as usize;
        found[rank.clamp(1, shuffles) - 1] as f64 / n as f64
    };
    Some(Shuffled {
        mean: found.iter().sum::<usize>() as f64 / (n * shuffles) as f64,
        low: at(0.025),
        high: at(0.975),
        shuffles,
    })
}

/// How many labels fit, shuffle after shuffle.
fn matches<'a>(
    truth: &'a [Label],
    called: &[Label],
    shuffles: usize,
    seed: Seed,
) -> impl Iterator<Item = usize> + 'a {
    let mut called = called.to_vec();
    let mut rng = seed.stream("shuffled sources");
    (0..shuffles).map(move |_| {
        shuffle(&mut rng, &mut called);
        truth.iter().zip(&called).filter(|(a, b)| a == b).count()
    })
}
