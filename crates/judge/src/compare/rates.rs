//! Did the true-positive rate at a given false-positive rate rise?
//!
//! The rate is read at a threshold that the audit's own non-members set, and where scores are tied
//! a few non-members more or less move it by a whole group of members. So the earlier audit is
//! given the benefit of the doubt and the later one is not: with F false positives expected at
//! most, the earlier threshold may have let through as many as a binomial count reaches by bad
//! luck, the later one as few. Thresholds so fixed by non-members alone, the members caught are
//! plain counts, and Fisher's exact test compares them. The chance that a threshold lies beyond
//! its bound is added to the p-value.

use stats::binomial::{binomial_sf, ln_choose};

use super::Change;
use crate::AttackMeasures;
use crate::measure::TprAtFpr;

/// The chance, over all comparisons together, that any threshold lies beyond its bound.
const THRESHOLD_RISK: f64 = 0.01;

/// One change per rate that both audits have a value for.
pub fn changes(old: &AttackMeasures, new: &AttackMeasures, candidates: usize) -> Vec<Change> {
    let risk = THRESHOLD_RISK / (2 * candidates) as f64;
    let change = |before: &TprAtFpr| {
        let after = new.tpr_at_fpr.iter().find(|tpr| tpr.fpr == before.fpr)?;
        Some(Change {
            attack: old.id.clone(),
            measure: format!("tpr@{}", before.fpr),
            before: before.value?,
            after: after.value?,
            p_value: p_value(old, new, before.fpr, risk),
            corrected_p_value: None,
        })
    };
    old.tpr_at_fpr.iter().filter_map(change).collect()
}

fn p_value(old: &AttackMeasures, new: &AttackMeasures, fpr: f64, risk: f64) -> Option<f64> {
    let most = old
        .roc
        .caught_at_most(most_likely(old.n_nonmembers, fpr, risk));
    let least = new
        .roc
        .caught_at_least(least_likely(new.n_nonmembers, fpr, risk)?);
    let chance = fisher(
        (most.min(old.n_members), old.n_members),
        (least.min(new.n_members), new.n_members),
    );
    Some((chance + 2.0 * risk).min(1.0))
}

/// The smallest count that a binomial one exceeds with at most this chance.
fn most_likely(trials: u64, rate: f64, risk: f64) -> u64 {
    smallest(trials, |count| binomial_sf(count + 1, trials, rate) <= risk)
}

/// The largest count that a binomial one stays at or below with at most this chance; nothing
/// where even zero is more likely than that.
fn least_likely(trials: u64, rate: f64, risk: f64) -> Option<u64> {
    // At most `count` successes are at least `trials - count` failures.
    let at_most = |count: u64| binomial_sf(trials - count, trials, 1.0 - rate);
    smallest(trials, |count| at_most(count) > risk).checked_sub(1)
}

/// The smallest count from 0 to `most` that has a property which all larger ones have too.
fn smallest(most: u64, has: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low) / 2;
        if has(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Fisher's exact test, one-sided: the chance that, of all members caught in both audits, so
/// many or more fall to the second.
fn fisher(before: (u64, u64), after: (u64, u64)) -> f64 {
    let caught = before.0 + after.0;
    let all = before.1 + after.1;
    let most = caught.min(after.1);
    let total = ln_choose(all, caught);
    let term = |k: u64| (ln_choose(after.1, k) + ln_choose(before.1, caught - k) - total).exp();
    let least_possible = caught.saturating_sub(before.1);
    (after.0.max(least_possible)..=most)
        .map(term)
        .sum::<f64>()
        .min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_of_a_count_are_those_of_its_definition() {
        for (trials, rate) in [(1, 0.1), (30, 0.1), (100, 0.01), (1000, 0.01), (500, 0.3)] {
            for risk in [0.2, 0.01, 1e-4] {
                let above = |count| binomial_sf(count + 1, trials, rate);
                let most = (0..=trials).find(|&count| above(count) <= risk);
                assert_eq!(Some(most_likely(trials, rate, risk)), most);
                let below = |count: u64| 1.0 - above(count);
                let least = (0..trials).take_while(|&count| below(count) <= risk).last();
                assert_eq!(least_likely(trials, rate, risk), least, "{trials} {rate}");
            }
        }
    }

    #[test]
    fn the_exact_test_agrees_with_scipy() {
        // scipy.stats.fisher_exact([[8, 2], [1, 5]], alternative="greater") = 0.024475524475524477
        assert!((fisher((1, 6), (8, 10)) - 0.024_475_524_475_524_48).abs() < 1e-12);
        // A fall is never a rise; equality is likely.
        assert!(fisher((8, 10), (1, 6)) > 0.99);
        assert!(fisher((5, 10), (5, 10)) > 0.5);
        assert_eq!(fisher((0, 10), (0, 10)), 1.0);
    }
}
