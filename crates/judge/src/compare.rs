//! Two audits side by side: did a measure really rise or fall, or is it noise?
//!
//! Every p-value is one-sided and multiplied by the number of measures compared in its direction
//! (Bonferroni), so that the chance of any false rise between two audits of equal leakage stays below
//! the level, however the attacks depend on each other; and so does that of any false fall.

mod fisher;
mod rates;

use serde::{Deserialize, Serialize};
use stats::student::student_t_sf;

use crate::AttackMeasures;

/// One measure of one attack, before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Change {
    pub attack: String,
    /// `auc`, or `tpr@` with the false-positive rate.
    pub measure: String,
    pub before: f64,
    pub after: f64,
    /// The chance of such a rise, or a larger one, between two audits of equal leakage; nothing
    /// where there are too few non-members to tell.
    pub p_value: Option<f64>,
    /// The same after correcting for the number of measures compared (Bonferroni).
    pub corrected_p_value: Option<f64>,
    /// The chance of such a fall, or a larger one.
    #[serde(default)]
    pub fall_p_value: Option<f64>,
    #[serde(default)]
    pub corrected_fall_p_value: Option<f64>,
}

impl Change {
    pub fn is_rise(&self, level: f64) -> bool {
        self.corrected_p_value.is_some_and(|p| p <= level)
    }

    pub fn is_fall(&self, level: f64) -> bool {
        self.corrected_fall_p_value.is_some_and(|p| p <= level)
    }

    /// The corrected p-value of the direction in which the measure went.
    pub fn corrected(&self) -> Option<f64> {
        match self.after < self.before {
            true => self.corrected_fall_p_value,
            false => self.corrected_p_value,
        }
    }
}

/// Every measure that both audits have. The two audits are taken as independent; where they
/// share records this overstates the noise, never the change.
pub fn compare(before: &[AttackMeasures], after: &[AttackMeasures]) -> Vec<Change> {
    let both = || {
        before
            .iter()
            .filter_map(|old| Some((old, after.iter().find(|new| new.id == old.id)?)))
    };
    let candidates: usize = both().map(|(old, _)| 1 + old.tpr_at_fpr.len()).sum();
    let mut changes: Vec<Change> = both()
        .flat_map(|(old, new)| {
            std::iter::once(auc(old, new)).chain(rates::changes(old, new, candidates))
        })
        .collect();
    let rises = told(&changes) as f64;
    let falls = (changes.iter().filter(|one| one.fall_p_value.is_some())).count() as f64;
    for change in &mut changes {
        change.corrected_p_value = change.p_value.map(|p| (p * rises).min(1.0));
        change.corrected_fall_p_value = change.fall_p_value.map(|p| (p * falls).min(1.0));
    }
    changes
}

/// How many of the measures could have risen: what the p-values of rises are corrected for.
pub fn told(changes: &[Change]) -> usize {
    changes.iter().filter(|one| one.p_value.is_some()).count()
}

fn auc(old: &AttackMeasures, new: &AttackMeasures) -> Change {
    Change {
        attack: old.id.clone(),
        measure: "auc".into(),
        before: old.auc.value,
        after: new.auc.value,
        p_value: Some(auc_above(old, new)),
        corrected_p_value: None,
        fall_p_value: Some(auc_above(new, old)),
        corrected_fall_p_value: None,
    }
}

/// The chance that equal leaks differ so far in this direction.
fn auc_above(lower: &AttackMeasures, upper: &AttackMeasures) -> f64 {
    let variance = spread(lower).powi(2) + spread(upper).powi(2);
    let by = upper.auc.value - lower.auc.value;
    if by <= 0.0 {
        1.0
    } else if variance == 0.0 {
        0.0
    } else {
        student_t_sf(by / variance.sqrt(), degrees(lower) + degrees(upper))
    }
}

/// How well the spread is known: no better than by the smaller class.
fn degrees(attack: &AttackMeasures) -> f64 {
    let smaller = attack.n_members.min(attack.n_nonmembers);
    smaller.saturating_sub(1).max(1) as f64
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
        count(leak_before, leak_after, Change::is_rise)
    }

    fn count(leak_before: f64, leak_after: f64, told: fn(&Change, f64) -> bool) -> usize {
        let pairs = (0..100).map(|pair| {
            (
                audit(2 * pair, leak_before),
                audit(2 * pair + 1, leak_after),
            )
        });
        pairs
            .filter(|(old, new)| {
                let changes = compare(std::slice::from_ref(old), std::slice::from_ref(new));
                changes.iter().any(|change| told(change, 0.05))
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
    fn a_fall_is_told_as_a_rise_is() {
        assert!(count(0.9, 0.3, Change::is_fall) > 95);
        assert_eq!(count(0.3, 0.9, Change::is_fall), 0);
        let equal = count(0.7, 0.7, Change::is_fall);
        assert!(equal <= 11, "{equal}");
        let (old, new) = (audit(1, 0.3), audit(2, 0.9));
        let (there, back) = (auc(&old, &new), auc(&new, &old));
        assert_eq!(there.p_value, back.fall_p_value);
        assert_eq!(there.fall_p_value, back.p_value);
    }
}
