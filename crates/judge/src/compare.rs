//! Two audits side by side: did a measure really rise, or is it noise?

use serde::{Deserialize, Serialize};
use stats::binomial::ln_choose;
use stats::normal::normal_sf;

use crate::AttackMeasures;

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
            let p_value = fisher((before.tp, before.n_members), (after.tp, after.n_members));
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
    fn the_exact_test_agrees_with_scipy() {
        // scipy.stats.fisher_exact([[8, 2], [1, 5]], alternative="greater") = 0.024475524475524477
        assert!((fisher((1, 6), (8, 10)) - 0.024_475_524_475_524_48).abs() < 1e-12);
        // A fall is never a rise; equality is likely.
        assert!(fisher((8, 10), (1, 6)) > 0.99);
        assert!(fisher((5, 10), (5, 10)) > 0.5);
        assert_eq!(fisher((0, 10), (0, 10)), 1.0);
    }
}
