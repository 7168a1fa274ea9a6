//! Log-MIA: members caught on a logarithmic scale, with no or hardly any false positive.
//!
//! Jiménez-López et al., "Membership Inference Attacks fueled by Few-Shot Learning to detect
//! privacy leakage tackling data integrity", §4.2–4.4. With n₊ members and n test records:
//! ratio = ln(TP + 1)/ln(n₊ + 1), α = ln 2/ln(n₊ + 1). Regime A counts at FP = 0: severe when
//! ratio ≥ α. Regime B counts at FP_B = ⌈ln n⌉ with β = ln(FP_B + 2)/ln(n₊ + 1): severe when
//! ratio ≥ β, moderate when α ≤ ratio < β. The integers are compared (TP ≥ 1, TP ≥ FP_B + 1),
//! never the rounded ratios.
//!
//! A random score on balanced sets is "severe" with probability one half at any size, so the
//! paper's word stands in `nominal_level` and `level` repeats it only when the exact null p-value
//! is at most 5 %, after correction for the number of attacks and regimes where there are several.

use serde::{Deserialize, Serialize};
use stats::roc::{Roc, RocPoint};

use crate::holm::holm;
use crate::measure::log_mia_null::Null;
use crate::{Error, Threshold};

/// The p-value above which a level is called chance.
pub const SIGNIFICANCE: f64 = 0.05;

/// How many false positives regime B allows, from the natural logarithm of the test size.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FalsePositiveRule {
    /// The paper's formula.
    #[default]
    Ceil,
    Floor,
    Round,
    Fixed(u64),
}

impl FalsePositiveRule {
    /// Reads `ceil`, `floor`, `round` or a number.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "ceil" => Ok(FalsePositiveRule::Ceil),
            "floor" => Ok(FalsePositiveRule::Floor),
            "round" => Ok(FalsePositiveRule::Round),
            number => number.parse().map(FalsePositiveRule::Fixed).map_err(|_| {
                Error::input(
                    format!("{number} says not how many false positives regime B allows"),
                    "give ceil (the paper's formula), floor or round of ln n, or a number such as 10",
                )
            }),
        }
    }

    pub fn false_positives(self, test_records: u64) -> u64 {
        let log = (test_records as f64).ln();
        match self {
            FalsePositiveRule::Ceil => log.ceil() as u64,
            FalsePositiveRule::Floor => log.floor() as u64,
            FalsePositiveRule::Round => log.round() as u64,
            FalsePositiveRule::Fixed(count) => count,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Severe,
    Moderate,
    None,
    /// The paper has a word for it, but a random score does as well too often.
    Chance,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Level::Severe => "severe",
            Level::Moderate => "moderate",
            Level::None => "none",
            Level::Chance => "not distinguishable from chance",
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Regime {
    pub value: f64,
    pub alpha: f64,
    /// Regime B only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    pub tp: u64,
    pub fp: u64,
    /// The false positives the regime allows; `fp` is what the last step within it has.
    pub fp_allowed: u64,
    pub threshold: Threshold,
    /// The chance that a score carrying no information does as well; conservative with ties.
    pub p_value: f64,
    /// The same after Holm's correction for both regimes of all attacks; reports of earlier versions
    /// have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_p_value: Option<f64>,
    pub level: Level,
    /// The paper's level, significant or not.
    pub nominal_level: Level,
    pub expected_by_chance: f64,
    pub deviation_by_chance: f64,
    pub n_members: u64,
    pub n_nonmembers: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LogMia {
    pub a: Regime,
    pub b: Regime,
}

pub fn log_mia(roc: &Roc, rule: FalsePositiveRule) -> LogMia {
    both_regimes(roc, rule, |allowed| roc.point_at_false_positives(allowed))
}

/// The same of the scores turned round: who is caught lies at their low end.
pub(crate) fn turned(roc: &Roc, rule: FalsePositiveRule) -> LogMia {
    both_regimes(roc, rule, |allowed| {
        roc.turned_point_at_false_positives(allowed)
    })
}

fn both_regimes(roc: &Roc, rule: FalsePositiveRule, point: impl Fn(u64) -> RocPoint) -> LogMia {
    let allowed = rule.false_positives(roc.members() + roc.nonmembers());
    let b = regime(roc, point(allowed), allowed);
    LogMia {
        a: regime(roc, point(0), 0),
        b: Regime {
            beta: Some(beta(allowed, roc.members())),
            ..b
        },
    }
}

fn regime(roc: &Roc, point: RocPoint, allowed: u64) -> Regime {
    let (tp, members) = (point.true_positives, roc.members());
    let null = Null::new(members, roc.nonmembers(), allowed);
    let p_value = null.p_value(tp);
    let (expected, deviation) = null.mean_and_deviation(|caught| ratio(caught as f64, members));
    let nominal = nominal_level(tp, allowed);
    Regime {
        value: ratio(tp as f64, members),
        alpha: ratio(1.0, members),
        beta: None,
        tp,
        fp: point.false_positives,
        fp_allowed: allowed,
        threshold: point.threshold.into(),
        p_value,
        corrected_p_value: None,
        level: significant_level(nominal, p_value),
        nominal_level: nominal,
        expected_by_chance: expected,
        deviation_by_chance: deviation,
        n_members: members,
        n_nonmembers: roc.nonmembers(),
    }
}

/// Corrects the levels of several attacks for their number, both regimes of each: the more there are,
/// the easier one of them is severe by chance. What was not kept of an attack counts as one that is not.
pub fn correct<'a>(found: impl Iterator<Item = Option<&'a mut LogMia>>) {
    let regimes = found.flat_map(|one| match one {
        Some(one) => [Some(&mut one.a), Some(&mut one.b)],
        None => [None, None],
    });
    let mut regimes: Vec<Option<&mut Regime>> = regimes.collect();
    let p_value = |regime: &Option<&mut Regime>| regime.as_ref().map_or(1.0, |one| one.p_value);
    let p_values: Vec<f64> = regimes.iter().map(p_value).collect();
    let corrected = regimes.iter_mut().zip(holm(&p_values));
    for (regime, corrected) in corrected.filter_map(|(one, p)| Some((one.as_mut()?, p))) {
        regime.corrected_p_value = Some(corrected);
        regime.level = significant_level(regime.nominal_level, corrected);
    }
}

/// ln(TP + 1)/ln(n₊ + 1): equation 3 of the paper.
pub fn ratio(tp: f64, members: u64) -> f64 {
    tp.ln_1p() / (members as f64).ln_1p()
}

/// ln(FP_B + 2)/ln(n₊ + 1).
pub fn beta(allowed: u64, members: u64) -> f64 {
    ratio((allowed + 1) as f64, members)
}

/// Regime A is the case of no false positive allowed: severe from the first member caught.
fn nominal_level(tp: u64, allowed: u64) -> Level {
    match tp {
        0 => Level::None,
        tp if tp > allowed => Level::Severe,
        _ => Level::Moderate,
    }
}

/// The same for a mean over many small sets, which is no integer: by the ratios.
pub(crate) fn nominal_level_of_mean(mean: f64, allowed: u64, members: u64) -> Level {
    if mean >= beta(allowed, members) {
        Level::Severe
    } else if mean >= ratio(1.0, members) {
        Level::Moderate
    } else {
        Level::None
    }
}

fn significant_level(nominal: Level, p_value: f64) -> Level {
    if nominal != Level::None && p_value > SIGNIFICANCE {
        Level::Chance
    } else {
        nominal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `caught` members, then one non-member at a time between the others.
    fn leading(caught: u32, records: u32) -> Roc {
        let score = |i: u32| if i < caught { 10.0 } else { -f64::from(i) };
        let members = (0..records).map(move |i| (score(i), true));
        Roc::new(members.chain((0..records).map(|i| (-f64::from(i) + 0.5, false)))).unwrap()
    }

    #[test]
    fn a_lucky_first_member_is_chance_and_many_are_severe() {
        let lucky = log_mia(&leading(2, 15), FalsePositiveRule::Ceil);
        assert_eq!((lucky.a.tp, lucky.a.nominal_level), (2, Level::Severe));
        assert_eq!(lucky.a.level, Level::Chance);
        let sure = log_mia(&leading(13, 15), FalsePositiveRule::Ceil);
        assert_eq!((sure.a.level, sure.b.level), (Level::Severe, Level::Severe));
        assert_eq!((sure.b.fp_allowed, sure.a.beta), (4, None));
    }

    #[test]
    fn levels_are_corrected_for_attacks_and_regimes() {
        let lone = log_mia(&leading(6, 15), FalsePositiveRule::Ceil);
        assert_eq!(lone.a.level, Level::Severe);
        assert!(
            (0.001..0.05).contains(&lone.a.p_value),
            "{}",
            lone.a.p_value
        );
        let mut many = vec![lone; 40];
        correct(many.iter_mut().map(Some));
        assert!(many.iter().all(|one| one.a.level == Level::Chance));
        assert!(many.iter().all(|one| one.a.nominal_level == Level::Severe));
        let mut sure = vec![log_mia(&leading(15, 15), FalsePositiveRule::Ceil); 40];
        correct(sure.iter_mut().map(Some));
        assert!(sure.iter().all(|one| one.a.level == Level::Severe));
    }

    #[test]
    fn the_boundary_is_an_integer() {
        assert_eq!(nominal_level(0, 4), Level::None);
        assert_eq!(nominal_level(4, 4), Level::Moderate);
        assert_eq!(nominal_level(5, 4), Level::Severe);
        assert_eq!(nominal_level(1, 0), Level::Severe);
    }

    #[test]
    fn more_false_positives_allowed_than_there_are_proves_nothing() {
        let roc = Roc::new([(2.0, true), (1.0, false)].into_iter()).unwrap();
        let found = log_mia(&roc, FalsePositiveRule::Fixed(9));
        assert_eq!((found.b.tp, found.b.p_value), (1, 1.0));
        assert_eq!(found.b.value, 1.0);
        assert_eq!(found.b.expected_by_chance, 1.0);
        assert_eq!(found.b.deviation_by_chance, 0.0);
    }

    #[test]
    fn rules_round_as_named() {
        let counts = |test| {
            [
                FalsePositiveRule::Ceil,
                FalsePositiveRule::Floor,
                FalsePositiveRule::Round,
                FalsePositiveRule::Fixed(3),
            ]
            .map(|rule| rule.false_positives(test))
        };
        assert_eq!(counts(50_000), [11, 10, 11, 3]);
        assert_eq!(counts(30), [4, 3, 3, 3]);
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        for (text, rule) in [
            ("ceil", FalsePositiveRule::Ceil),
            ("floor", FalsePositiveRule::Floor),
            ("round", FalsePositiveRule::Round),
            ("0", FalsePositiveRule::Fixed(0)),
            ("14", FalsePositiveRule::Fixed(14)),
        ] {
            assert_eq!(FalsePositiveRule::parse(text).unwrap(), rule);
        }
        for text in ["", "-1", "3.5", "Ceil", "1e3", "99999999999999999999"] {
            let error = FalsePositiveRule::parse(text).unwrap_err().to_string();
            assert!(error.contains("hint: give ceil"), "{error}");
        }
    }
}
