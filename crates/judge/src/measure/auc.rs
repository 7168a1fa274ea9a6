//! AUC: the share of (member, non-member) pairs in which the member scores higher, ties one half.
//!
//! Interval: DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated
//! ROC curves", Biometrics 1988. With ψ the pair comparison, V10ᵢ = meanⱼ ψ(i, j) per member and
//! V01ⱼ = meanᵢ ψ(i, j) per non-member, var = S10/n₁ + S01/n₀ (sample variances). Every record of a
//! group of equal scores has the same V, so one pass over the groups suffices.
//!
//! Where the variance is zero (all pairs won, all lost or all tied) DeLong would claim certainty.
//! Instead pair the records off one to one, which gives min(n₁, n₀) independent pairs that all
//! fell alike: the chance of falling so is at least (α/2)^(1/min(n₁, n₀)), the exact
//! Clopper–Pearson bound, and the AUC is bounded by that. With a single record in a class the
//! variance cannot be estimated at all and the interval is everything.

use serde::{Deserialize, Serialize};
use stats::normal::normal_quantile;
use stats::roc::Roc;

use super::chance::chance_by_ties;
use crate::persons::PersonCounts;
use crate::ranking::groups;

/// On which scale the interval is symmetric.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum AucScale {
    /// Symmetric in ln(A / (1 − A)): never leaves [0, 1].
    #[default]
    Logit,
    /// Symmetric in A (Wald), cut off at 0 and 1.
    Plain,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Auc {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub method: String,
    pub confidence: f64,
    pub scale: AucScale,
    /// DeLong's standard error (Obuchowski's by person); absent with a single record in a class.
    pub standard_error: Option<f64>,
    pub n_members: u64,
    pub n_nonmembers: u64,
    /// How many people the records are of, where the interval counts people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persons: Option<PersonCounts>,
    /// How often chance alone gives an AUC so far from one half, by drawing membership anew among the same
    /// scores; only where so many of them are equal that DeLong's interval is too narrow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<f64>,
    /// The standard error that records as units would have, beside that by person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record_error: Option<f64>,
}

pub fn auc(roc: &Roc, confidence: f64, scale: AucScale) -> Auc {
    Auc {
        value: roc.auc(),
        low: 0.0,
        high: 1.0,
        method: String::new(),
        confidence,
        scale,
        standard_error: delong_variance(roc).map(f64::sqrt),
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        persons: None,
        chance: chance_by_ties(roc),
        record_error: None,
    }
    .at_confidence(confidence)
}

impl Auc {
    /// The same AUC with its interval at another level, as a gate over many attacks needs.
    pub fn at_confidence(&self, confidence: f64) -> Auc {
        let alpha = 1.0 - confidence;
        let (low, high, method) = match self.standard_error {
            Some(error) if error > 0.0 => self.delong(error, alpha),
            Some(_) => self.paired(alpha),
            None if self.value == 0.0 || self.value == 1.0 => self.paired(alpha),
            None => (0.0, 1.0, "undetermined: a class has one record"),
        };
        // What chance gives so often is no evidence against chance.
        let explained =
            self.chance.is_some_and(|chance| chance > alpha) && (low > 0.5 || high < 0.5);
        let (low, high, method) = match explained {
            true => (
                low.min(0.5),
                high.max(0.5),
                "delong-logit, widened to one half by permutation",
            ),
            false => (low, high, method),
        };
        let counted = match self.persons {
            Some(_) => ", by person",
            None => "",
        };
        Auc {
            low,
            high,
            confidence,
            method: format!("{method}{counted}"),
            ..self.clone()
        }
    }

    /// The same with so many times its variance; with its own where that is one.
    pub(crate) fn inflated(self, factor: f64) -> Auc {
        if factor == 1.0 {
            return self;
        }
        let standard_error = self.standard_error.map(|error| error * factor.sqrt());
        let confidence = self.confidence;
        Auc {
            standard_error,
            ..self
        }
        .at_confidence(confidence)
    }

    fn delong(&self, error: f64, alpha: f64) -> (f64, f64, &'static str) {
        let reach = -normal_quantile(alpha / 2.0) * error;
        match self.scale {
            AucScale::Plain => (
                (self.value - reach).max(0.0),
                (self.value + reach).min(1.0),
                "delong",
            ),
            AucScale::Logit => {
                let reach = reach / (self.value * (1.0 - self.value));
                let centre = (self.value / (1.0 - self.value)).ln();
                (
                    logistic(centre - reach),
                    logistic(centre + reach),
                    "delong-logit",
                )
            }
        }
    }

    /// All pairs fell alike: every pair does so with probability at least `sure`.
    fn paired(&self, alpha: f64) -> (f64, f64, &'static str) {
        let pairs = match self.persons {
            Some(people) => people.members.min(people.nonmembers) as f64,
            None => self.n_members.min(self.n_nonmembers) as f64,
        };
        let unsure = -((alpha / 2.0).ln() / pairs).exp_m1();
        let low = self.value * (1.0 - unsure);
        (low, low + unsure, "exact-pairs")
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// DeLong's variance of the AUC, or nothing when a class has a single record.
pub fn delong_variance(roc: &Roc) -> Option<f64> {
    let (members, nonmembers) = (roc.members() as f64, roc.nonmembers() as f64);
    if members < 2.0 || nonmembers < 2.0 {
        return None;
    }
    let squares = placement_squares(roc);
    Some(
        squares.members / (members * (members - 1.0))
            + squares.nonmembers / (nonmembers * (nonmembers - 1.0)),
    )
}

/// Sums of (V − A)² over the records of each class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PlacementSquares {
    pub members: f64,
    pub nonmembers: f64,
}

pub(crate) fn placement_squares(roc: &Roc) -> PlacementSquares {
    let (members, nonmembers) = (roc.members() as f64, roc.nonmembers() as f64);
    let area = roc.auc();
    let (mut member_squares, mut nonmember_squares) = (0.0, 0.0);
    let (mut members_above, mut nonmembers_above) = (0.0, 0.0);
    for group in groups(roc) {
        let (here_members, here_nonmembers) = (group.members as f64, group.nonmembers as f64);
        let beaten = (nonmembers - nonmembers_above - here_nonmembers / 2.0) / nonmembers;
        let beaten_by = (members_above + here_members / 2.0) / members;
        member_squares += here_members * (beaten - area).powi(2);
        nonmember_squares += here_nonmembers * (beaten_by - area).powi(2);
        members_above += here_members;
        nonmembers_above += here_nonmembers;
    }
    PlacementSquares {
        members: member_squares,
        nonmembers: nonmember_squares,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn roc(members: &[f64], nonmembers: &[f64]) -> Roc {
        let members = members.iter().map(|&score| (score, true));
        Roc::new(members.chain(nonmembers.iter().map(|&score| (score, false)))).unwrap()
    }

    fn pair(member: f64, nonmember: f64) -> f64 {
        f64::from(u8::from(member > nonmember)) + 0.5 * f64::from(u8::from(member == nonmember))
    }

    fn sample_variance(values: &[f64]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
    }

    /// The definition, pair by pair.
    fn naive_variance(members: &[f64], nonmembers: &[f64]) -> f64 {
        let mean = |sum: f64, count: usize| sum / count as f64;
        let v10: Vec<f64> = members
            .iter()
            .map(|&m| {
                mean(
                    nonmembers.iter().map(|&n| pair(m, n)).sum(),
                    nonmembers.len(),
                )
            })
            .collect();
        let v01: Vec<f64> = nonmembers
            .iter()
            .map(|&n| mean(members.iter().map(|&m| pair(m, n)).sum(), members.len()))
            .collect();
        sample_variance(&v10) / members.len() as f64
            + sample_variance(&v01) / nonmembers.len() as f64
    }

    proptest! {
        #[test]
        fn the_fast_variance_is_the_naive_one(
            members in prop::collection::vec(0_i32..12, 2..40),
            nonmembers in prop::collection::vec(0_i32..12, 2..40),
        ) {
            let members: Vec<f64> = members.into_iter().map(f64::from).collect();
            let nonmembers: Vec<f64> = nonmembers.into_iter().map(f64::from).collect();
            let fast = delong_variance(&roc(&members, &nonmembers)).unwrap();
            prop_assert!((fast - naive_variance(&members, &nonmembers)).abs() < 1e-14);
        }
    }

    #[test]
    fn certainty_is_never_claimed() {
        let perfect = auc(&roc(&[3.0; 20], &[1.0; 30]), 0.95, AucScale::Logit);
        assert_eq!((perfect.value, perfect.high), (1.0, 1.0));
        assert!((perfect.low - 0.025_f64.powf(1.0 / 20.0)).abs() < 1e-12);
        let hopeless = auc(&roc(&[1.0; 20], &[3.0; 30]), 0.95, AucScale::Logit);
        assert_eq!(hopeless.low, 0.0);
        assert!((hopeless.high - (1.0 - perfect.low)).abs() < 1e-12);
        let silent = auc(&roc(&[1.0; 20], &[1.0; 30]), 0.95, AucScale::Plain);
        assert_eq!(silent.method, "exact-pairs");
        assert!(silent.low < 0.5 && silent.high > 0.5);
        assert!((silent.low + silent.high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn four_that_stand_out_among_ties_are_no_evidence_and_eight_are() {
        let members =
            |out: usize| -> Vec<f64> { (0..50).map(|n| f64::from(u8::from(n < out))).collect() };
        let four = auc(&roc(&members(4), &[0.0; 50]), 0.95, AucScale::Logit);
        // A fair coin falls four times alike in two of sixteen.
        assert!((four.chance.unwrap() - 0.117).abs() < 0.02, "{four:?}");
        assert!(four.low <= 0.5, "{four:?}");
        let eight = auc(&roc(&members(8), &[0.0; 50]), 0.95, AucScale::Logit);
        assert!(eight.low > 0.5, "{eight:?}");
        assert!(eight.at_confidence(0.999).low <= 0.5, "{eight:?}");
    }

    #[test]
    fn one_record_in_a_class_determines_nothing() {
        let lone = auc(&roc(&[2.0], &[1.0, 3.0]), 0.95, AucScale::Logit);
        assert_eq!((lone.value, lone.low, lone.high), (0.5, 0.0, 1.0));
        assert_eq!(lone.standard_error, None);
        let won = auc(&roc(&[4.0], &[1.0, 3.0]), 0.95, AucScale::Logit);
        assert!((won.low - 0.025).abs() < 1e-12);
    }

    #[test]
    fn a_higher_level_is_wider() {
        let usual = auc(
            &roc(&[1.0, 3.0, 5.0], &[0.0, 2.0, 4.0]),
            0.95,
            AucScale::Logit,
        );
        let stricter = usual.at_confidence(0.999);
        assert!(stricter.low < usual.low && stricter.high > usual.high);
        assert_eq!(stricter.at_confidence(0.95), usual);
    }

    #[test]
    fn agrees_with_a_published_example() {
        // The example on the page of the Python package `pauc`: 0.708 (0.378, 1.000).
        let members = [0.24, 0.8, 0.85, 0.74, 0.58, 0.25];
        let nonmembers = [0.1, 0.35, 0.2, 0.13, 0.85, 0.71];
        let found = auc(&roc(&members, &nonmembers), 0.95, AucScale::Plain);
        assert!((found.value - 0.708333).abs() < 1e-6);
        assert!((found.low - 0.37761).abs() < 1e-5);
        assert_eq!(found.high, 1.0);
    }
}
