//! What the report says of canaries: how many, and how far each tier and design was remembered.

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;

use super::{Canaries, Canary, Extraction, Wanted};
use crate::epsilon::Claim;
use crate::measure::{Auc, auc};
use crate::{Options, Truth};

/// What the canaries of an audit show.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CanaryFinding {
    /// Drawn, and those of them that were included.
    pub canaries: usize,
    pub included: usize,
    /// Canaries without a row in what was audited: guesses that nobody made.
    pub missing: usize,
    /// Rows that are no canaries: neither judged nor called.
    pub foreign: usize,
    /// How often those were trained on that bounds and claims rest on.
    pub repetitions: u64,
    /// All of them, then every tier, then every design.
    pub parts: Vec<CanaryPart>,
    /// Of language models: how likely a canary is said word for word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extraction: Option<Extraction>,
    /// The same of the drawn part alone, given what stands before it, where the signals say which tokens it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_extraction: Option<Extraction>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PartKind {
    All,
    Tier,
    Design,
}

/// Some of the canaries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CanaryPart {
    pub kind: PartKind,
    pub name: String,
    pub canaries: usize,
    pub included: usize,
    /// Of the gated attack on those that it judged; absent where coins all fell on one side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<Auc>,
    /// The lower bound on ε of one record by the best of the attacks, at a confidence that is corrected
    /// for their number. It rests on those of this part that were trained on least often.
    pub epsilon: f64,
    /// The attack that proves it; nothing where none proves any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<String>,
    pub confidence: f64,
    /// The same of what was trained on so often, taken together.
    pub epsilon_together: f64,
    pub repetitions: u64,
    /// How many canaries the bound rests on, and the largest that so many could have shown.
    pub bound_on: u64,
    pub largest: f64,
}

/// What a finding is made from.
pub struct Shown<'a> {
    pub scores: &'a [(String, Scores)],
    pub truth: &'a Truth,
    /// The rows that count.
    pub records: &'a [usize],
    /// The attack whose AUC is shown.
    pub gated: Option<&'a str>,
    /// Of a bound by the best attack.
    pub confidence: f64,
    pub options: &'a Options,
}

impl Canaries {
    pub fn finding(&self, shown: &Shown) -> CanaryFinding {
        let parts: Vec<CanaryPart> =
            (std::iter::once(self.part(PartKind::All, "all", &|_| true, shown)))
                .chain(self.tiers().into_iter().map(|repetitions| {
                    let name = format!("trained on {repetitions}×");
                    let wanted = |canary: &Canary| canary.repetitions == repetitions;
                    self.part(PartKind::Tier, &name, &wanted, shown)
                }))
                .chain(self.designs.iter().enumerate().map(|(design, name)| {
                    let wanted = |canary: &Canary| canary.design == design;
                    self.part(PartKind::Design, name, &wanted, shown)
                }))
                .collect();
        CanaryFinding {
            canaries: parts[0].canaries,
            included: parts[0].included,
            missing: self.missing.len(),
            foreign: self.foreign(),
            repetitions: self.lowest(),
            parts,
            extraction: None,
            secret_extraction: None,
        }
    }

    /// Every number of repetitions, fewest first.
    pub(super) fn tiers(&self) -> Vec<u64> {
        let mut tiers: Vec<u64> = self.all().map(|canary| canary.repetitions).collect();
        tiers.sort_unstable();
        tiers.dedup();
        tiers
    }

    fn part(&self, kind: PartKind, name: &str, wanted: Wanted, shown: &Shown) -> CanaryPart {
        let inside = self.all().filter(|canary| wanted(canary));
        let repetitions = inside.map(|canary| canary.repetitions).min().unwrap_or(1);
        let least = |canary: &Canary| wanted(canary) && canary.repetitions == repetitions;
        let claim = Claim {
            confidence: self.confidence(kind, shown.confidence),
            delta: shown.options.delta,
        };
        let (mut epsilon, mut together) = (0.0_f64, 0.0_f64);
        let (mut bound_on, mut largest, mut attack) = (0, 0.0_f64, None);
        for (id, scores) in shown.scores {
            let seed = shown.options.seed;
            let guesses = self.guesses(&least, scores, shown.truth, shown.records, seed);
            let guesses = guesses.of_mechanism(shown.options.mechanism);
            bound_on = guesses.records;
            largest = largest.max(guesses.largest(&claim));
            let bound = guesses.bound(&claim).0;
            if bound > epsilon {
                (epsilon, attack) = (bound, Some(id.clone()));
            }
            let group = crate::epsilon::coins::CoinGuesses {
                repetitions: 1,
                ..guesses
            };
            together = together.max(group.bound(&claim).0);
        }
        let rows = self.rows_of(wanted, shown);
        let missing = self.missing.iter().filter(|(canary, _)| wanted(canary));
        let coins = (rows.iter().filter_map(|&row| shown.truth.is_member(row)))
            .chain(missing.map(|(_, included)| *included));
        let coins: Vec<bool> = coins.collect();
        CanaryPart {
            kind,
            name: name.to_owned(),
            canaries: coins.len(),
            included: coins.iter().filter(|included| **included).count(),
            auc: self.area(&rows, shown),
            epsilon,
            attack,
            confidence: claim.confidence,
            epsilon_together: together,
            repetitions,
            bound_on,
            largest,
        }
    }

    /// A claim or a threshold is held against every tier, so that tiers share the error.
    fn confidence(&self, kind: PartKind, confidence: f64) -> f64 {
        match kind {
            PartKind::Tier => 1.0 - (1.0 - confidence) / self.tiers().len().max(1) as f64,
            PartKind::All | PartKind::Design => confidence,
        }
    }

    fn rows_of(&self, wanted: Wanted, shown: &Shown) -> Vec<usize> {
        let of = |row: &usize| self.rows.get(*row).copied().flatten();
        let rows = shown.records.iter().copied();
        rows.filter(|row| of(row).is_some_and(|canary| wanted(&canary)))
            .collect()
    }

    fn area(&self, rows: &[usize], shown: &Shown) -> Option<Auc> {
        let (_, scores) = (shown.scores.iter()).find(|(id, _)| Some(id.as_str()) == shown.gated)?;
        let judged = (rows.iter())
            .filter_map(|&row| Some((scores.answer(row).ok()?, shown.truth.is_member(row)?)));
        let roc = Roc::new(judged)?;
        let options = shown.options;
        Some(auc::auc(&roc, options.confidence, options.auc_scale))
    }
}
