//! Did the true-positive rate at a given false-positive rate α rise?
//!
//! The rate is read at a threshold that the audit's own non-members set, and where scores are tied
//! a few non-members more or less move it by a whole group of members. Of n non-members the threshold
//! that lets through a share α of all non-members there are lets through a binomial count F, known in
//! distribution, not in value. Given F = f it catches no more members than the curve does with f false
//! positives, no fewer than with f − 1, and none that can be told where f = 0; and the members it
//! catches are a plain binomial count. So each audit has a confidence distribution of its rate: Clopper
//! and Pearson's beta distributions, mixed over F, the upper ones of the earlier audit and the lower
//! ones of the later. The p-value is the chance that a draw of the later is at most one of the earlier
//! (Fay, Proschan, Brittain, "Combining one-sample confidence procedures for inference in the
//! two-sample case", Biometrics 2015). They show that for two betas it is the p-value of Fisher's
//! exact test; so this is the mean of Fisher's p-values over what both counts F may have been.

use stats::binomial::binomial_sf;

use super::Change;
use super::fisher::{Count, fisher};
use crate::AttackMeasures;
use crate::measure::TprAtFpr;

/// The chance, over all comparisons together, that no non-member lies beyond a threshold: where it is
/// larger, nothing could be told whatever the scores, and the rate is not compared.
const UNSEEN: f64 = 0.01;

/// What is rarer than this is added to the p-value as if it spoke against the change.
const NEGLIGIBLE: f64 = 1e-13;

/// One change per rate that both audits have a value for.
pub fn changes(old: &AttackMeasures, new: &AttackMeasures, candidates: usize) -> Vec<Change> {
    let unseen = UNSEEN / candidates as f64;
    let change = |before: &TprAtFpr| {
        let after = new.tpr_at_fpr.iter().find(|tpr| tpr.fpr == before.fpr)?;
        Some(Change {
            attack: old.id.clone(),
            measure: format!("tpr@{}", before.fpr),
            scope: None,
            before: before.value?,
            after: after.value?,
            p_value: p_value(old, new, before.fpr, unseen),
            corrected_p_value: None,
            fall_p_value: p_value(new, old, before.fpr, unseen),
            corrected_fall_p_value: None,
        })
    };
    old.tpr_at_fpr.iter().filter_map(change).collect()
}

/// The chance of such a step up from `lower` to `upper` between equal leaks.
fn p_value(lower: &AttackMeasures, upper: &AttackMeasures, fpr: f64, unseen: f64) -> Option<f64> {
    if none_beyond(upper.n_nonmembers, fpr) > unseen {
        return None;
    }
    let from = merged(parts(lower, fpr).map(|part| (part.chance, part.most)));
    let to = merged(parts(upper, fpr).map(|part| (part.chance, part.least)));
    let pairs = from
        .iter()
        .flat_map(|before| to.iter().map(move |after| (before, after)));
    let chance = pairs.map(|((chance, most), (other, least))| {
        let weight = chance * other;
        let count = |caught: u64, of: u64| Count {
            caught: caught.min(of),
            of,
        };
        match weight < NEGLIGIBLE {
            true => weight,
            false => {
                weight
                    * fisher(
                        count(*most, lower.n_members),
                        count(*least, upper.n_members),
                    )
            }
        }
    });
    Some(chance.sum::<f64>().min(1.0))
}

/// The chance that no non-member of so many lies beyond the threshold.
fn none_beyond(nonmembers: u64, fpr: f64) -> f64 {
    binomial_sf(nonmembers, nonmembers, 1.0 - fpr)
}

/// What the threshold catches if its false positives are some of these, and how likely that is.
struct Part {
    chance: f64,
    least: u64,
    most: u64,
}

fn parts(attack: &AttackMeasures, fpr: f64) -> impl Iterator<Item = Part> {
    let (nonmembers, members) = (attack.n_nonmembers, attack.n_members);
    // The end holds what a curve that was cut short leaves out.
    let steps = attack
        .roc
        .steps()
        .into_iter()
        .chain([(nonmembers, members)]);
    let (mut above, mut least) = (1.0, 0);
    steps.map(move |(false_positives, caught)| {
        let beyond = binomial_sf(false_positives + 1, nonmembers, fpr);
        let part = Part {
            chance: (above - beyond).max(0.0),
            least,
            most: caught,
        };
        (above, least) = (beyond, caught);
        part
    })
}

/// Neighbours that catch equally many as one.
fn merged(parts: impl Iterator<Item = (f64, u64)>) -> Vec<(f64, u64)> {
    let mut merged: Vec<(f64, u64)> = Vec::new();
    for (chance, caught) in parts.filter(|(chance, _)| *chance > 0.0) {
        match merged.last_mut() {
            Some(last) if last.1 == caught => last.0 += chance,
            _ => merged.push((chance, caught)),
        }
    }
    merged
}

#[cfg(test)]
#[path = "rates_tests.rs"]
mod tests;
