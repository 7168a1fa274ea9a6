//! Two audits side by side: did a measure really rise, or is it noise?

use serde::{Deserialize, Serialize};
use stats::binomial::ln_choose;
use stats::normal::normal_sf;

use crate::AttackMeasures;
use crate::measure::TprAtFpr;

/// One measure of one attack, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub attack: String,
    /// `auc`, or `tpr@` with the false-positive rate.
    pub measure: String,
    pub before: f64,
    pub after: f64,
    /// The chance of such a rise, or a larger one, between two audits of equal leakage.
    pub p_value: f64,
    /// The same after correcting for the number of measures compared (Bonferroni).
    pub corrected_p_value: f64,
}

impl Change {
    pub fn is_rise(&self, level: f64) -> bool {
        self.corrected_p_value <= level
    }
}

/// Every measure that both audits have. The two audits are taken as independent; where they
/// share records this overstates the noise, never the rise.
pub fn compare(before: &[AttackMeasures], after: &[AttackMeasures]) -> Vec<Change> {
    let mut changes: Vec<Change> = before
        .iter()
        .filter_map(|old| Some((old, after.iter().find(|new| new.id == old.id)?)))
        .flat_map(|(old, new)| std::iter::once(auc(old, new)).chain(tprs(old, new)))
        .collect();
    let compared = changes.len() as f64;
    for change in &mut changes {
        change.corrected_p_value = (change.p_value * compared).min(1.0);
    }
    changes
}

fn auc(old: &AttackMeasures, new: &AttackMeasures) -> Change {
    let variance = spread(old).powi(2) + spread(new).powi(2);
    let rise = new.auc.value - old.auc.value;
    let p_value = if rise <= 0.0 {
        1.0
    } else if variance == 0.0 {
        0.0
    } else {
        normal_sf(rise / variance.sqrt())
    };
    change(old, "auc".into(), old.auc.value, new.auc.value, p_value)
}

/// The standard error, or a quarter of the interval where there is none (AUC of 0 or 1).
fn spread(attack: &AttackMeasures) -> f64 {
    let quarter = (attack.auc.high - attack.auc.low) / 4.0;
    attack
        .auc
        .standard_error
        .filter(|error| *error > 0.0)
        .unwrap_or(quarter)
}

fn tprs(old: &AttackMeasures, new: &AttackMeasures) -> Vec<Change> {
    old.tpr_at_fpr
        .iter()
        .filter_map(|before| {
            let after = new.tpr_at_fpr.iter().find(|tpr| tpr.fpr == before.fpr)?;
            // The exact test takes both thresholds as given, though each was set by its own
            // non-members; the other one lets them move. Both must see the rise.
            let p_value = fisher((before.tp, before.n_members), (after.tp, after.n_members))
                .max(moving_thresholds(old, before, new, after));
            let name = format!("tpr@{}", before.fpr);
            Some(change(old, name, before.value?, after.value?, p_value))
        })
        .collect()
}

fn change(old: &AttackMeasures, measure: String, before: f64, after: f64, p_value: f64) -> Change {
    Change {
        attack: old.id.clone(),
        measure,
        before,
        after,
        p_value,
        corrected_p_value: p_value,
    }
}

/// The chance of the rise when thresholds vary as well: a normal test with the variance of both.
fn moving_thresholds(
    old: &AttackMeasures,
    before: &TprAtFpr,
    new: &AttackMeasures,
    after: &TprAtFpr,
) -> f64 {
    let rise = after.value.unwrap_or(0.0) - before.value.unwrap_or(0.0);
    if rise <= 0.0 {
        return 1.0;
    }
    let variance = rate_variance(old, before) + rate_variance(new, after);
    normal_sf(rise / variance.sqrt())
}

/// The variance of a TPR at a given FPR: its own counts', and through the slope of the ROC curve
/// that of the threshold (Greenhouse and Mantel 1950). Never less than the bootstrap's.
fn rate_variance(attack: &AttackMeasures, tpr: &TprAtFpr) -> f64 {
    let (members, nonmembers) = (tpr.n_members as f64, tpr.n_nonmembers as f64);
    // One more of each kind, so that a rate of 0 or 1 is not taken for certain.
    let rate = (tpr.tp as f64 + 1.0) / (members + 2.0);
    let slope = roc_slope(attack, tpr.fpr);
    let counts =
        rate * (1.0 - rate) / members + slope * slope * tpr.fpr * (1.0 - tpr.fpr) / nonmembers;
    let resampled = tpr
        .bootstrap
        .map_or(0.0, |interval| interval.standard_error.powi(2));
    counts.max(resampled)
}

/// The rise of the ROC curve around a false-positive rate, from half of it to twice it.
fn roc_slope(attack: &AttackMeasures, fpr: f64) -> f64 {
    let tpr_at = |rate: f64| {
        let allowed = rate * attack.n_nonmembers as f64;
        let reached = attack
            .roc
            .points
            .iter()
            .filter(|(fp, _)| *fp as f64 <= allowed);
        reached.map(|(_, tp)| *tp).max().unwrap_or(0) as f64 / attack.n_members as f64
    };
    let (low, high) = (fpr / 2.0, (2.0 * fpr).min(1.0));
    (tpr_at(high) - tpr_at(low)) / (high - low)
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
    use attacks::scores::Scores;
    use stats::streams::{Seed, standard_normal};

    use super::*;
    use crate::{Options, Truth};

    fn audit(seed: u64, leak: f64) -> AttackMeasures {
        let mut rng = Seed(seed).stream("compare");
        let member = |record: usize| record.is_multiple_of(2);
        let score = |record| standard_normal(&mut rng) + if member(record) { leak } else { 0.0 };
        let scores: Scores = (0..1000).map(score).map(Ok).collect();
        let truth = Truth::new((0..1000).map(member)).unwrap();
        let options = Options {
            bootstrap_replicates: 0,
            ..Options::default()
        };
        crate::measure("test", &scores, &truth, &options).unwrap()
    }

    fn rises(leak_before: f64, leak_after: f64) -> usize {
        let pairs = (0..100).map(|pair| {
            (
                audit(2 * pair, leak_before),
                audit(2 * pair + 1, leak_after),
            )
        });
        pairs
            .filter(|(old, new)| {
                let changes = compare(std::slice::from_ref(old), std::slice::from_ref(new));
                changes.iter().any(|change| change.is_rise(0.05))
            })
            .count()
    }

    #[test]
    fn equal_leaks_rarely_look_like_a_rise_and_a_rise_is_seen() {
        // 5% of 100 are 5, with a deviation of 2.
        assert!(rises(0.7, 0.7) <= 11, "{}", rises(0.7, 0.7));
        assert!(rises(0.0, 0.0) <= 11, "{}", rises(0.0, 0.0));
        assert!(rises(0.3, 0.9) > 95);
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
