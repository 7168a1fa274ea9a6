//! The gate: which measure decides, at which threshold, and how much proof it asks for.

use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};

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

/// What is gated: of the best attack, or of the one chosen on held-out records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    #[default]
    Auc,
    TprAtFpr(f64),
    Advantage,
}

impl Measure {
    /// Reads `auc`, `advantage` or `tpr@0.001`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "auc" => return Ok(Measure::Auc),
            "advantage" => return Ok(Measure::Advantage),
            _ => {}
        }
        let fpr = text
            .strip_prefix("tpr@")
            .and_then(|fpr| fpr.parse::<f64>().ok());
        fpr.filter(|fpr| *fpr > 0.0 && *fpr < 1.0)
            .map(Measure::TprAtFpr)
            .ok_or_else(|| {
                Error::input(
                    format!("{text} is not a measure that can be gated"),
                    "give auc, advantage, or tpr@ with a false-positive rate, such as tpr@0.001",
                )
            })
    }

    /// The value of one attack and its interval; nothing where the measure was refused.
    pub fn read(self, attack: &AttackMeasures, confidence: f64) -> Option<Reading> {
        match self {
            Measure::Auc => {
                let auc = attack.auc.at_confidence(confidence);
                Some(Reading {
                    value: auc.value,
                    low: auc.low,
                    high: auc.high,
                })
            }
            Measure::TprAtFpr(fpr) => {
                let tpr = attack.tpr_at_fpr.iter().find(|tpr| tpr.fpr == fpr)?;
                let tail = (1.0 - confidence) / 2.0;
                Some(Reading {
                    value: tpr.value?,
                    low: clopper_pearson_lower(tpr.tp, tpr.n_members, tail),
                    high: clopper_pearson_upper(tpr.tp, tpr.n_members, tail),
                })
            }
            Measure::Advantage => Some(Reading {
                value: attack.advantage.value,
                low: attack.advantage.low,
                high: attack.advantage.high,
            }),
        }
    }
}

impl std::fmt::Display for Measure {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Measure::Auc => out.write_str("AUC"),
            Measure::TprAtFpr(fpr) => write!(out, "TPR at {}% FPR", fpr * 100.0),
            Measure::Advantage => out.write_str("advantage"),
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
        match self.rule {
            Rule::Point => reading.value >= self.threshold,
            Rule::Conservative => reading.high >= self.threshold,
            Rule::Proven => reading.low >= self.threshold,
        }
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
        for wrong in ["AUROC", "tpr@", "tpr@0", "tpr@1.5", "tpr@NaN"] {
            assert!(Measure::parse(wrong).is_err(), "{wrong}");
        }
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
