//! Does a slice violate the gate, though all records together may not?
//!
//! In each slice every attack is asked, because the one that is best on all records may be blind
//! there. Choosing the best of them is paid for: the largest standardised excess over the threshold
//! is held against what the largest of so many *correlated* normal variables does by chance, their
//! correlation being that of the attacks' AUCs in the slice (DeLong, DeLong and Clarke-Pearson
//! 1988); where Bonferroni's bound is smaller, it counts. The p-values of all slices are then
//! corrected together by Holm. The variance of an AUC is the larger of DeLong's and of Hanley and
//! McNeil's at the value it is held against, for a slice that happens to be separated perfectly would
//! else claim certainty.

use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower_of, clopper_pearson_upper_of};
use stats::binomial::{binomial_sf, ln_choose};
use stats::normal::normal_sf;
use stats::roc::{Roc, RocPoint};
use stats::streams::Seed;

use super::largest::{Placements, chance_of_largest};
use crate::Options;
use crate::epsilon::Claim;
use crate::epsilon::clopper_pearson::{bonferroni, p_value};
use crate::gate::{Gate, Measure, Reading};
use crate::measure::Advantage;
use crate::measure::accuracy::{balanced_accuracy, widen};
use crate::measure::auc::{auc, delong_variance};
use crate::measure::tpr::tpr_at_fpr;
use crate::power::{hanley_mcneil, shows};

/// What the gate says of one slice, by the attack that tells its members apart best.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SliceGate {
    pub attack: String,
    pub value: f64,
    /// Corrected for the number of attacks.
    pub low: f64,
    pub high: f64,
    pub confidence: f64,
    /// The chance of such a value or a larger one if the slice lay at the threshold, corrected for
    /// the attacks; and the same after Holm's correction for all slices.
    pub p_value: f64,
    pub corrected_p_value: f64,
    /// The chance of such an excess over the rest of the records if there is none, corrected alike;
    /// absent below the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more_p_value: Option<f64>,
    pub standing: Standing,
    /// So few records could miss a leak at the threshold.
    pub small: bool,
}

/// Where a slice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// At or above the threshold, beyond chance.
    Violates,
    /// At or above it and more than the rest beyond chance, but not surely above the threshold.
    Suspect,
    /// Neither.
    Within,
}

impl Standing {
    /// The worst first.
    pub fn rank(self) -> u8 {
        match self {
            Standing::Violates => 0,
            Standing::Suspect => 1,
            Standing::Within => 2,
        }
    }
}

/// An attack that puts a slice's members below its non-members, beyond chance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Below {
    pub attack: String,
    pub auc: f64,
    /// Corrected for the number of attacks.
    pub low: f64,
    pub high: f64,
    /// The chance of an AUC so far from one half, either way, corrected for attacks and slices.
    pub corrected_p_value: f64,
}

impl Below {
    /// One attack's curve of a slice, before any correction; nothing at one half or above.
    pub(super) fn new(
        attack: &str,
        own: &Roc,
        attacks: usize,
        gate: &Gate,
        options: &Options,
    ) -> Option<Self> {
        let value = own.auc();
        if value >= 0.5 {
            return None;
        }
        let chance = hanley_mcneil(0.5, own.members() as f64, own.nonmembers() as f64);
        let variance = delong_variance(own).unwrap_or(chance).max(chance) * options.design_effect;
        let confidence = gate.confidence_for(attacks);
        let found = auc(own, confidence, options.auc_scale).inflated(options.design_effect);
        Some(Self {
            attack: attack.to_owned(),
            auc: value,
            low: found.low,
            high: found.high,
            corrected_p_value: (2.0 * normal_sf((0.5 - value) / variance.sqrt())).min(1.0),
        })
    }

    /// The surer of two; the first of equals.
    pub(super) fn or(self, other: Self) -> Self {
        match other.corrected_p_value < self.corrected_p_value {
            true => other,
            false => self,
        }
    }
}

/// The attack that tells a slice's members apart best.
#[derive(Clone)]
pub(super) struct Best {
    attack: String,
    reading: Reading,
    confidence: f64,
    /// Those that it judged: the others show nothing.
    members: usize,
    nonmembers: usize,
    /// How many attacks were asked.
    attacks: usize,
}

impl Best {
    /// One attack's reading of a slice; nothing where the gated measure cannot be seen there.
    pub(super) fn new(
        attack: &str,
        own: &Roc,
        judged: [usize; 2],
        cut: Option<f64>,
        attacks: usize,
        gate: &Gate,
        options: &Options,
    ) -> Option<Self> {
        let confidence = gate.confidence_for(attacks);
        Some(Self {
            attack: attack.to_owned(),
            reading: reading(own, cut, gate.measure, confidence, options)?,
            confidence,
            members: judged[0],
            nonmembers: judged[1],
            attacks,
        })
    }

    /// The better of two; the first of equals.
    pub(super) fn or(self, other: Self) -> Self {
        match other.reading.value > self.reading.value {
            true => other,
            false => self,
        }
    }

    /// Where the slice stands by itself; parts of all attacks are made only where it may violate.
    pub(super) fn stand(
        &self,
        gate: &Gate,
        options: &Options,
        parts: impl Fn() -> Vec<Part>,
    ) -> SliceGate {
        let speaking = |records: usize| (records as f64 / options.design_effect) as usize;
        let (p_value, more_p_value) = match self.reading.value >= gate.threshold {
            false => (1.0, None),
            true => {
                let parts = parts();
                let parts: Vec<&Part> = parts.iter().filter(|part| part.own.is_some()).collect();
                (
                    above_threshold(&parts, gate, options),
                    Some(above_rest(&parts, options)),
                )
            }
        };
        SliceGate {
            attack: self.attack.clone(),
            value: self.reading.value,
            low: self.reading.low,
            high: self.reading.high,
            confidence: self.confidence,
            p_value,
            corrected_p_value: p_value,
            more_p_value,
            standing: Standing::Within,
            small: !shows(
                gate,
                speaking(self.members),
                speaking(self.nonmembers),
                self.attacks,
            ),
        }
    }
}

/// A slice and the rest of the records under one attack.
pub(super) struct Part {
    own: Option<(Roc, Placements)>,
    /// AUC of the rest and its variance.
    rest: Option<(f64, f64)>,
    /// The score that keeps the gate's false-positive rate over all records.
    cut: Option<f64>,
    /// Times the variance that independent scores would have.
    shared: f64,
}

impl Part {
    /// Of the slice's (row, score, is a member), and the rest where it is large enough.
    pub(super) fn new(
        mut records: Vec<(usize, f64, bool)>,
        rest: Option<Roc>,
        cut: Option<f64>,
        shared: f64,
    ) -> Self {
        records.sort_unstable_by_key(|record| record.0);
        let own = Roc::new(records.iter().map(|&(_, score, member)| (score, member)));
        let own = own.filter(super::slice_records::gateable).map(|roc| {
            let placements = Placements::new(records.into_iter(), &roc);
            (roc, placements)
        });
        let rest = rest.and_then(|roc| Some((roc.auc(), delong_variance(&roc)?)));
        Self {
            own,
            rest,
            cut,
            shared,
        }
    }

    fn curve(&self) -> Option<&Roc> {
        self.own.as_ref().map(|(roc, _)| roc)
    }

    /// How many standard errors the slice's AUC lies above a value.
    fn excess(&self, value: f64, further_variance: f64, options: &Options) -> Option<f64> {
        let roc = self.curve()?;
        let supposed = hanley_mcneil(value, roc.members() as f64, roc.nonmembers() as f64);
        let variance = delong_variance(roc).unwrap_or(supposed).max(supposed) + further_variance;
        Some((roc.auc() - value) / (variance * options.design_effect * self.shared).sqrt())
    }
}

fn reading(
    roc: &Roc,
    cut: Option<f64>,
    measure: Measure,
    confidence: f64,
    options: &Options,
) -> Option<Reading> {
    Some(match measure {
        Measure::Auc => {
            let auc = auc(roc, confidence, options.auc_scale).inflated(options.design_effect);
            Reading {
                value: auc.value,
                low: auc.low,
                high: auc.high,
            }
        }
        Measure::TprAtFpr(fpr) => {
            let (caught, _) = caught(roc, cut, fpr)?;
            let (members, tail) = (roc.members() as f64, (1.0 - confidence) / 2.0);
            let (trials, caught) = (
                members / options.design_effect,
                caught as f64 / options.design_effect,
            );
            Reading {
                value: caught / trials,
                low: clopper_pearson_lower_of(caught, trials, tail),
                high: clopper_pearson_upper_of(caught, trials, tail),
            }
        }
        Measure::Advantage => {
            let mut accuracy = balanced_accuracy(roc, confidence);
            if options.design_effect > 1.0 {
                let trials = [roc.members(), roc.nonmembers()];
                let trials = trials.map(|records| records as f64 / options.design_effect);
                widen(&mut accuracy, trials, confidence);
            }
            let advantage = Advantage::from(&accuracy);
            Reading {
                value: advantage.value,
                low: advantage.low,
                high: advantage.high,
            }
        }
        Measure::Epsilon(delta) => {
            let claim = Claim { confidence, delta };
            Reading::bound(bonferroni(roc, &claim).value)
        }
    })
}

/// The chance of a measure as large in a slice that lies at the threshold.
fn above_threshold(parts: &[&Part], gate: &Gate, options: &Options) -> f64 {
    let threshold = gate.threshold;
    let smallest = |p_value: &dyn Fn(&Roc, &Part, f64) -> f64| {
        let curves = parts.iter().filter_map(|part| Some((part.curve()?, part)));
        let p_values =
            curves.map(|(roc, part)| p_value(roc, part, options.design_effect * part.shared));
        (p_values.fold(1.0, f64::min) * parts.len() as f64).min(1.0)
    };
    match gate.measure {
        Measure::Auc => largest(parts, options, |part| part.excess(threshold, 0.0, options)),
        Measure::TprAtFpr(fpr) => smallest(&|roc, part, effect| match caught(roc, part.cut, fpr) {
            Some((caught, chance)) => {
                let speaking = |records: u64| (records as f64 / effect) as u64;
                let (caught, members) = (speaking(caught), speaking(roc.members()));
                binomial_sf(caught, members, threshold).max(chance)
            }
            None => 1.0,
        }),
        Measure::Advantage => smallest(&|roc, _, effect| of_advantage(roc, threshold, effect)),
        Measure::Epsilon(delta) => smallest(&|roc, _, _| p_value(roc, threshold, delta)),
    }
}

/// Members caught at a false-positive rate. A slice with too few non-members to show that rate is read
/// at the cut which keeps it over all records; that counts where the slice's members are caught more
/// often than its non-members beyond chance, and the chance stands beside.
fn caught(roc: &Roc, cut: Option<f64>, fpr: f64) -> Option<(u64, f64)> {
    let own = tpr_at_fpr(roc, fpr, 0.95);
    if own.value.is_some() {
        return Some((own.tp, 0.0));
    }
    let cut = cut?;
    let above = |point: &&RocPoint| point.threshold.is_some_and(|threshold| threshold >= cut);
    let point = roc.points().iter().rev().find(above)?;
    let (caught, flagged) = (point.true_positives, point.false_positives);
    let chance = more_often(caught, roc.members(), flagged, roc.nonmembers());
    (chance <= super::slices::LEVEL).then_some((caught, chance))
}

/// The chance of so many members or more among those above a cut, if membership had no part in it
/// (Fisher 1935, one-sided).
fn more_often(caught: u64, members: u64, flagged: u64, nonmembers: u64) -> f64 {
    let above = caught + flagged;
    let all = ln_choose(members + nonmembers, above);
    let term = |k: u64| (ln_choose(members, k) + ln_choose(nonmembers, above - k) - all).exp();
    (caught..=members.min(above))
        .map(term)
        .sum::<f64>()
        .min(1.0)
}

/// By Dvoretzky, Kiefer and Wolfowitz over all thresholds at once, as the interval of the advantage.
fn of_advantage(roc: &Roc, threshold: f64, design_effect: f64) -> f64 {
    let above = Advantage::from(&balanced_accuracy(roc, 0.95)).value - threshold;
    if above <= 0.0 {
        return 1.0;
    }
    let width =
        [roc.members(), roc.nonmembers()].map(|n| (n as f64 / design_effect).sqrt().recip());
    (4.0 * (-2.0 * (above / (width[0] + width[1])).powi(2)).exp()).min(1.0)
}

/// The chance of an AUC as far above that of the rest.
fn above_rest(parts: &[&Part], options: &Options) -> f64 {
    largest(parts, options, |part| {
        let (auc, variance) = part.rest?;
        part.excess(auc, variance, options)
    })
}

/// The chance of the largest excess over all attacks, by Bonferroni's bound or by the attacks'
/// correlation, whichever says more.
fn largest(parts: &[&Part], options: &Options, excess: impl Fn(&Part) -> Option<f64>) -> f64 {
    let excesses = parts.iter().filter_map(|part| excess(part));
    let most = excesses.fold(f64::NEG_INFINITY, f64::max);
    let alone = normal_sf(most);
    let bound = (alone * parts.len() as f64).min(1.0);
    // Beyond doubt either way: nothing that the correlation could change.
    if alone > super::slices::LEVEL || bound < 1e-4 {
        return bound;
    }
    let placements = parts.iter().filter_map(|part| part.own.as_ref());
    let placements: Vec<&Placements> = placements.map(|(_, placements)| placements).collect();
    bound.min(chance_of_largest(&placements, most, Seed(options.seed)))
}

#[cfg(test)]
#[path = "slice_gate_tests.rs"]
mod tests;
