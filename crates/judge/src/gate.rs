//! The gate: which measure decides, at which threshold, and how much proof it asks for.

use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower_of, clopper_pearson_upper_of};

use crate::epsilon::Claim;
use crate::epsilon::clopper_pearson::at_cuts;
use crate::measure::{Auc, TprAtFpr};
use crate::measures::JudgedMeasures;
use crate::{AttackMeasures, Error};

/// How the interval of the gated measure counts.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Fails when the value is at or above the threshold.
    #[default]
    Point,
    /// Passes only when the whole interval lies below the threshold.
    Conservative,
    /// Fails only when the whole interval lies at or above the threshold.
    Proven,
}

impl Rule {
    pub fn fails(self, reading: &Reading, threshold: f64) -> bool {
        let least = match self {
            Rule::Point => reading.value,
            Rule::Conservative => reading.high,
            Rule::Proven => reading.low,
        };
        least >= threshold
    }
}

/// What is gated: of the best attack, or of the one chosen on held-out records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    #[default]
    Auc,
    TprAtFpr(f64),
    Advantage,
    /// The lower bound on ε at this δ. It has no upper end: a small one proves nothing.
    Epsilon(f64),
}

/// Below one half an interval misses more often than not, and a bound that is wrong more often than right bounds
/// nothing.
pub fn is_confidence(level: f64) -> bool {
    (0.5..1.0).contains(&level)
}

/// What to give instead of another one.
pub const CONFIDENCES: &str = "give a level from 0.5 to below 1, such as 0.95";

/// δ of ε where none is named.
pub const DEFAULT_DELTA: f64 = 1e-5;

impl Measure {
    /// Reads `auc`, `advantage`, `tpr@0.001`, `epsilon` or `epsilon@1e-6`, where a δ is named.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let number = |prefix: &str| text.strip_prefix(prefix)?.parse::<f64>().ok();
        let named = match text {
            "auc" => Some(Measure::Auc),
            "advantage" => Some(Measure::Advantage),
            "epsilon" => Some(Measure::Epsilon(DEFAULT_DELTA)),
            _ => None,
        };
        let rate = || number("tpr@").filter(|fpr| *fpr > 0.0 && *fpr < 1.0);
        let delta = || number("epsilon@").filter(|delta| (0.0..1.0).contains(delta));
        named
            .or_else(|| rate().map(Measure::TprAtFpr))
            .or_else(|| delta().map(Measure::Epsilon))
            .ok_or_else(|| {
                Error::input(
                    format!("{text} is not a measure that can be gated"),
                    "give auc, advantage, tpr@ with a false-positive rate, such as tpr@0.001, or \
                     epsilon, with its δ behind it where that is not 1e-5: epsilon@1e-6",
                )
            })
    }

    /// As it is parsed.
    pub fn name(self) -> String {
        match self {
            Measure::Auc => "auc".into(),
            Measure::Advantage => "advantage".into(),
            Measure::TprAtFpr(fpr) => format!("tpr@{fpr}"),
            Measure::Epsilon(delta) if delta == DEFAULT_DELTA => "epsilon".into(),
            Measure::Epsilon(delta) => format!("epsilon@{delta:e}"),
        }
    }

    /// Which thresholds can be held against it, in words.
    pub fn thresholds(self) -> String {
        match self {
            Measure::Epsilon(_) => "give an ε above 0".into(),
            Measure::TprAtFpr(fpr) => format!(
                "guessing catches {fpr} of the members, so that no audit could pass at that: give more, and \
                 1 at the most"
            ),
            _ => "give a number between 0 and 1".into(),
        }
    }

    /// Whether a threshold can be held against it.
    pub fn takes(self, threshold: f64) -> bool {
        match self {
            Measure::Epsilon(_) => threshold > 0.0 && threshold.is_finite(),
            // Guessing catches as many members as it accuses others.
            Measure::TprAtFpr(fpr) => threshold > fpr && threshold <= 1.0,
            _ => (0.0..=1.0).contains(&threshold),
        }
    }

    /// The value of one attack and its interval; nothing where the measure was refused.
    pub fn read(self, attack: &AttackMeasures, confidence: f64) -> Option<Reading> {
        match self {
            Measure::Auc => Some(area(&attack.auc, confidence)),
            Measure::TprAtFpr(fpr) => rate(&attack.tpr_at_fpr, fpr, confidence),
            Measure::Advantage => Some(Reading {
                value: attack.advantage.value,
                low: attack.advantage.low,
                high: attack.advantage.high,
            }),
            Measure::Epsilon(delta) => {
                let claim = Claim { confidence, delta };
                if let Some((proved, _)) = attack.proved_by_coins(&claim) {
                    return Some(Reading::bound(proved));
                }
                let cuts = Some(&attack.epsilon_cuts).filter(|cuts| !cuts.is_empty())?;
                Some(Reading::bound(at_cuts(
                    cuts,
                    attack.n_members,
                    attack.n_nonmembers,
                    &claim,
                )))
            }
        }
    }

    /// The same among the records that an attack judged; nothing for the advantage and for ε.
    pub fn read_judged(self, judged: &JudgedMeasures, confidence: f64) -> Option<Reading> {
        match self {
            Measure::Auc => Some(area(&judged.auc, confidence)),
            Measure::TprAtFpr(fpr) => rate(&judged.tpr_at_fpr, fpr, confidence),
            Measure::Advantage | Measure::Epsilon(_) => None,
        }
    }
}

fn area(auc: &Auc, confidence: f64) -> Reading {
    let auc = auc.at_confidence(confidence);
    Reading {
        value: auc.value,
        low: auc.low,
        high: auc.high,
    }
}

fn rate(rates: &[TprAtFpr], fpr: f64, confidence: f64) -> Option<Reading> {
    let tpr = rates.iter().find(|tpr| tpr.fpr == fpr)?;
    let tail = (1.0 - confidence) / 2.0;
    let value = tpr.value?;
    let (caught, trials) = match tpr.effective_members {
        Some(trials) => (value * trials, trials),
        None => (tpr.tp as f64, tpr.n_members as f64),
    };
    Some(Reading {
        value,
        low: clopper_pearson_lower_of(caught, trials, tail),
        high: clopper_pearson_upper_of(caught, trials, tail),
    })
}

impl std::fmt::Display for Measure {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Measure::Auc => out.write_str("AUC"),
            Measure::TprAtFpr(fpr) => write!(out, "TPR at {}% FPR", fpr * 100.0),
            Measure::Advantage => out.write_str("advantage"),
            Measure::Epsilon(delta) => write!(out, "lower bound on ε at δ = {delta:e}"),
        }
    }
}

/// A measure with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

impl Reading {
    /// A lower bound is its own interval: nothing is known of how much more there is.
    pub fn bound(value: f64) -> Self {
        Reading {
            value,
            low: value,
            high: value,
        }
    }
}

/// The rule by which an audit passes or fails.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Gate {
    pub measure: Measure,
    pub threshold: f64,
    pub rule: Rule,
    pub confidence: f64,
}

/// The release threshold of the RAG threat specification, used for every kind of target.
pub const DEFAULT_AUC_THRESHOLD: f64 = 0.65;

impl Default for Gate {
    fn default() -> Self {
        Gate {
            measure: Measure::Auc,
            threshold: DEFAULT_AUC_THRESHOLD,
            rule: Rule::Point,
            confidence: 0.95,
        }
    }
}

impl Gate {
    pub fn fails(&self, reading: &Reading) -> bool {
        self.rule.fails(reading, self.threshold)
    }

    /// The level of one interval when the best of several attacks was taken (Bonferroni).
    pub fn confidence_for(&self, tried: usize) -> f64 {
        1.0 - (1.0 - self.confidence) / tried.max(1) as f64
    }
}

/// The bands in which the threat specification speaks of an AUC.
pub fn band(auc: f64) -> &'static str {
    match auc {
        x if x < 0.4 => "below chance",
        x if x < 0.6 => "near random",
        x if x < 0.7 => "weak",
        x if x <= 0.8 => "moderate",
        _ => "strong",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_rules_differ_only_on_intervals_that_straddle() {
        let gate = |rule| Gate {
            rule,
            ..Gate::default()
        };
        let reading = |value, low, high| Reading { value, low, high };
        let straddles_above = reading(0.66, 0.6, 0.7);
        let straddles_below = reading(0.64, 0.6, 0.7);
        assert!(gate(Rule::Point).fails(&straddles_above));
        assert!(!gate(Rule::Point).fails(&straddles_below));
        assert!(gate(Rule::Conservative).fails(&straddles_below));
        assert!(!gate(Rule::Proven).fails(&straddles_above));
        for rule in [Rule::Point, Rule::Conservative, Rule::Proven] {
            assert!(gate(rule).fails(&reading(0.65, 0.65, 0.65)));
            assert!(!gate(rule).fails(&reading(0.6, 0.55, 0.649)));
        }
    }

    #[test]
    fn measures_are_read_by_name() {
        assert_eq!(Measure::parse("auc").ok(), Some(Measure::Auc));
        assert_eq!(
            Measure::parse("tpr@0.001").ok(),
            Some(Measure::TprAtFpr(0.001))
        );
        for wrong in [
            "AUROC",
            "tpr@",
            "tpr@0",
            "tpr@1.5",
            "tpr@NaN",
            "epsilon@1",
            "epsilon@-1",
            "epsilon@NaN",
        ] {
            assert!(Measure::parse(wrong).is_err(), "{wrong}");
        }
        for name in [
            "auc",
            "advantage",
            "tpr@0.001",
            "epsilon",
            "epsilon@1e-6",
            "epsilon@0e0",
        ] {
            assert_eq!(Measure::parse(name).unwrap().name(), name);
        }
    }

    #[test]
    fn thresholds_are_of_the_measure() {
        assert!(Measure::Auc.takes(0.65) && !Measure::Auc.takes(1.5));
        let epsilon = Measure::Epsilon(1e-5);
        assert!(epsilon.takes(8.0) && !epsilon.takes(0.0));
        let rate = Measure::TprAtFpr(0.01);
        assert!(rate.takes(0.02) && !rate.takes(0.01) && !rate.takes(1.5));
        assert!(!epsilon.takes(f64::INFINITY) && !epsilon.takes(f64::NAN));
    }

    #[test]
    fn more_attacks_ask_for_wider_intervals() {
        let gate = Gate::default();
        assert_eq!(gate.confidence_for(1), 0.95);
        assert!((gate.confidence_for(25) - 0.998).abs() < 1e-12);
    }

    #[test]
    fn bands_meet_where_the_specification_says() {
        let found = [0.39, 0.59, 0.6, 0.7, 0.8, 0.81].map(band);
        let words = [
            "below chance",
            "near random",
            "weak",
            "moderate",
            "moderate",
            "strong",
        ];
        assert_eq!(found, words);
    }
}
