//! What a yes-or-no answer is worth: balanced accuracy, advantage, precision, and the share of
//! accused records that are members when members are rare.
//!
//! Balanced accuracy (TPR + 1 − FPR)/2 and advantage TPR − FPR (Yeom et al. 2018) are taken at the
//! best threshold, chosen on the data they are measured on. Their interval pays for the choice:
//! by Dvoretzky, Kiefer and Wolfowitz (with Massart's constant) |TPR̂ − TPR| ≤ √(ln(4/α)/2n₁) and
//! |FPR̂ − FPR| ≤ √(ln(4/α)/2n₀) hold together at every threshold at once with confidence 1 − α.

use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};
use stats::roc::{Roc, RocPoint};

use crate::Threshold;
use crate::ranking::false_positive_budget;

const METHOD: &str = "best threshold, dkw over all thresholds";
const NOTE: &str = "the threshold was chosen on the records it is measured on: the value is \
                    optimistic, the interval allows for every threshold at once";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BalancedAccuracy {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub method: String,
    pub confidence: f64,
    pub threshold: Threshold,
    pub tp: u64,
    pub fp: u64,
    pub n_members: u64,
    pub n_nonmembers: u64,
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Advantage {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub method: String,
    pub confidence: f64,
    pub n_members: u64,
    pub n_nonmembers: u64,
    pub note: String,
}

pub fn balanced_accuracy(roc: &Roc, confidence: f64) -> BalancedAccuracy {
    at_best(roc, roc.best_balanced(), confidence)
}

/// The same of the scores turned round. The interval holds for both: it bounds each rate from both sides.
pub(crate) fn turned(roc: &Roc, confidence: f64) -> BalancedAccuracy {
    at_best(roc, roc.turned_best_balanced(), confidence)
}

fn at_best(roc: &Roc, point: RocPoint, confidence: f64) -> BalancedAccuracy {
    let caught = point.true_positives as f64 / roc.members() as f64;
    let accused = point.false_positives as f64 / roc.nonmembers() as f64;
    let value = (1.0 + caught - accused) / 2.0;
    let (members, nonmembers) = (roc.members() as f64, roc.nonmembers() as f64);
    let reach = (reach(members, confidence) + reach(nonmembers, confidence)) / 2.0;
    BalancedAccuracy {
        value,
        low: (value - reach).max(0.0),
        high: (value + reach).min(1.0),
        method: METHOD.to_owned(),
        confidence,
        threshold: point.threshold.into(),
        tp: point.true_positives,
        fp: point.false_positives,
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        note: NOTE.to_owned(),
    }
}

/// How far a class's empirical rate may be from the truth, at every threshold at once.
fn reach(records: f64, confidence: f64) -> f64 {
    ((4.0 / (1.0 - confidence)).ln() / (2.0 * records)).sqrt()
}

/// The interval that so many independent members and non-members would give.
pub(crate) fn widen(accuracy: &mut BalancedAccuracy, trials: [f64; 2], confidence: f64) {
    let reach = (reach(trials[0], confidence) + reach(trials[1], confidence)) / 2.0;
    accuracy.low = (accuracy.value - reach).max(0.0);
    accuracy.high = (accuracy.value + reach).min(1.0);
    accuracy.method = format!("{METHOD}, by person");
}

impl From<&BalancedAccuracy> for Advantage {
    /// Advantage is 2 · balanced accuracy − 1, and so is its interval.
    fn from(accuracy: &BalancedAccuracy) -> Self {
        Advantage {
            value: 2.0 * accuracy.value - 1.0,
            low: 2.0 * accuracy.low - 1.0,
            high: 2.0 * accuracy.high - 1.0,
            method: accuracy.method.clone(),
            confidence: accuracy.confidence,
            n_members: accuracy.n_members,
            n_nonmembers: accuracy.n_nonmembers,
            note: accuracy.note.clone(),
        }
    }
}

/// Among the records accused at a false-positive rate, how many are members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Precision {
    pub fpr: f64,
    /// Absent when nobody is accused.
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub method: String,
    pub confidence: f64,
    pub tp: u64,
    pub fp: u64,
    pub at_prior: Vec<PositivePredictiveValue>,
}

/// The precision when only this share of the world's records are members.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PositivePredictiveValue {
    pub prior: f64,
    /// Absent when nobody is accused.
    pub value: Option<f64>,
}

/// Precision TP/(TP + FP) at the step point, on the audited mix of members and non-members.
pub fn precision_at_fpr(roc: &Roc, fpr: f64, priors: &[f64], confidence: f64) -> Precision {
    let point = roc.point_at_false_positives(false_positive_budget(fpr, roc.nonmembers()));
    let (tp, fp) = (point.true_positives, point.false_positives);
    let accused = tp + fp;
    let side = (1.0 - confidence) / 2.0;
    let if_any = |value: f64| (accused > 0).then_some(value);
    let tpr = tp as f64 / roc.members() as f64;
    Precision {
        fpr,
        value: if_any(tp as f64 / accused as f64),
        low: if_any(clopper_pearson_lower(tp, accused.max(1), side)),
        high: if_any(clopper_pearson_upper(tp, accused.max(1), side)),
        method: "step-le, clopper-pearson given the number accused".to_owned(),
        confidence,
        tp,
        fp,
        at_prior: priors
            .iter()
            .map(|&prior| PositivePredictiveValue {
                prior,
                value: positive_predictive_value(tpr, fpr, prior),
            })
            .collect(),
    }
}

/// π·TPR / (π·TPR + (1 − π)·FPR), with the FPR asked for rather than the one seen: seeing no
/// false positive does not mean there are none.
pub fn positive_predictive_value(tpr: f64, fpr: f64, prior: f64) -> Option<f64> {
    let right = prior * tpr;
    let wrong = (1.0 - prior) * fpr;
    (right + wrong > 0.0).then(|| right / (right + wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_accused_means_no_precision() {
        let scores = [(1.0, true), (1.0, false), (0.0, false)];
        let found = precision_at_fpr(&Roc::new(scores.into_iter()).unwrap(), 0.0, &[0.1], 0.95);
        assert_eq!((found.value, found.low, found.high), (None, None, None));
        assert_eq!(found.at_prior[0].value, None);
    }

    #[test]
    fn the_interval_holds_the_value_and_stays_in_range() {
        let roc = Roc::new((0..60).map(|i| (f64::from(i), i >= 30))).unwrap();
        let accuracy = balanced_accuracy(&roc, 0.95);
        assert_eq!((accuracy.value, accuracy.high), (1.0, 1.0));
        assert!(accuracy.low > 0.7 && accuracy.low < 0.75);
        let advantage = Advantage::from(&accuracy);
        assert_eq!(advantage.value, 1.0);
        assert!((advantage.low - (2.0 * accuracy.low - 1.0)).abs() < 1e-15);
    }
}
