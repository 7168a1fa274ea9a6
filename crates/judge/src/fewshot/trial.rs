//! One attack on one episode: choose by validation, then judge the query set.

use attacks::fewshot::{EpisodeAttack, Fitted, Task};
use attacks::settings::Settings;
use base::{Error, Result};
use stats::roc::Roc;

use super::draw::Episode;
use super::{Design, Records, Selection, Thresholds};

/// Query records above a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Caught {
    pub(super) members: u64,
    pub(super) nonmembers: u64,
}

/// What one run gave.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Trial {
    /// The candidate the validation set chose.
    pub(super) chosen: usize,
    pub(super) a: Caught,
    pub(super) b: Caught,
    pub(super) auc: f64,
    pub(super) accuracy: f64,
    /// Of the records asked about, in the episode's order.
    pub(super) scores: Vec<f64>,
}

/// Everything that stays the same from run to run.
pub(super) struct Court<'a> {
    pub(super) records: Records<'a>,
    /// The mean over all records, members or not: an attacker knows the population.
    pub(super) centre: Vec<f64>,
    pub(super) design: &'a Design,
    pub(super) settings: &'a Settings,
}

impl Court<'_> {
    pub(super) fn trial(
        &self,
        attack: &'static dyn EpisodeAttack,
        episode: &Episode,
        shots: usize,
    ) -> Result<Trial> {
        let support = episode.support(shots);
        let task = Task::new(
            self.records.features,
            &support,
            &episode.validation,
            &episode.asked,
            &self.centre,
        )?
        .with_model(self.records.model);
        let fitted = attack.fit(&task, self.settings)?;
        let candidates = attack.candidates(shots, self.settings).len();
        let (chosen, validation) = self.choose(&*fitted, candidates, attack, episode)?;
        let scores = fitted.asked(chosen);
        let query = roc(&scores, episode.asked_member.iter().copied(), attack)?;
        let caught = |allowed| self.caught(&validation, &query, &scores, episode, allowed);
        Ok(Trial {
            chosen,
            a: caught(0),
            b: caught(self.design.allowed()),
            auc: query.auc(),
            accuracy: accuracy(&validation.roc, &scores, &episode.asked_member),
            scores,
        })
    }

    /// The best candidate and its validation scores.
    fn choose(
        &self,
        fitted: &dyn Fitted,
        candidates: usize,
        attack: &'static dyn EpisodeAttack,
        episode: &Episode,
    ) -> Result<(usize, Validation)> {
        let labels = || episode.validation.iter().map(|one| one.member);
        let allowed = self
            .design
            .rule
            .false_positives(2 * self.design.validation as u64);
        let mut best: Option<(usize, Validation, (u64, u64))> = None;
        for candidate in 0..candidates {
            let scores = fitted.validation(candidate);
            let roc = roc(&scores, labels(), attack)?;
            let at = |allowed| roc.point_at_false_positives(allowed).true_positives;
            let worth = match self.design.selection {
                Selection::BothRegimes => (at(0), at(allowed)),
                Selection::Published => (at(0), 0),
            };
            let better = best
                .as_ref()
                .is_none_or(|(_, _, held)| match self.design.selection {
                    Selection::BothRegimes => worth > *held,
                    Selection::Published => worth >= *held,
                });
            if better {
                let nonmembers = descending(&scores, labels());
                best = Some((candidate, Validation { roc, nonmembers }, worth));
            }
        }
        let none = || {
            Error::setting(
                format!(
                    "{} has no hyper-parameters to choose from",
                    attack.card().id
                ),
                "ask for more shots",
            )
        };
        best.map(|(place, held, _)| (place, held)).ok_or_else(none)
    }

    fn caught(
        &self,
        validation: &Validation,
        query: &Roc,
        scores: &[f64],
        episode: &Episode,
        allowed: u64,
    ) -> Caught {
        match self.design.thresholds {
            Thresholds::Query => {
                let point = query.point_at_false_positives(allowed);
                Caught {
                    members: point.true_positives,
                    nonmembers: point.false_positives,
                }
            }
            Thresholds::Validation => {
                let threshold = validation.threshold(allowed);
                let above = |kind: bool| {
                    let labels = scores.iter().zip(&episode.asked_member);
                    labels
                        .filter(|(score, member)| **member == kind && **score > threshold)
                        .count() as u64
                };
                Caught {
                    members: above(true),
                    nonmembers: above(false),
                }
            }
        }
    }
}

/// Validation scores of the chosen candidate.
struct Validation {
    roc: Roc,
    /// Non-members' scores, the largest first.
    nonmembers: Vec<f64>,
}

impl Validation {
    /// Strictly above this lie at most `allowed` validation non-members.
    fn threshold(&self, allowed: u64) -> f64 {
        let place = usize::try_from(allowed).unwrap_or(usize::MAX);
        let held = self.nonmembers.get(place);
        held.copied().unwrap_or(f64::NEG_INFINITY)
    }
}

fn descending(scores: &[f64], labels: impl Iterator<Item = bool>) -> Vec<f64> {
    let pairs = scores.iter().zip(labels);
    let mut values: Vec<f64> = pairs
        .filter_map(|(score, member)| (!member).then_some(*score))
        .collect();
    values.sort_by(|a, b| b.total_cmp(a));
    values
}

fn roc(
    scores: &[f64],
    labels: impl Iterator<Item = bool>,
    attack: &'static dyn EpisodeAttack,
) -> Result<Roc> {
    let found = Roc::new(scores.iter().copied().zip(labels));
    found.ok_or_else(|| {
        Error::setting(
            format!("{} gave a score that is not a number", attack.card().id),
            "scale the features, or check the model's weights",
        )
    })
}

/// Of the query set, at the validation threshold of best balanced accuracy.
fn accuracy(validation: &Roc, scores: &[f64], member: &[bool]) -> f64 {
    let threshold = validation.best_balanced().threshold;
    let right = scores.iter().zip(member).filter(|(score, member)| {
        let called = threshold.is_some_and(|threshold| **score >= threshold);
        called == **member
    });
    right.count() as f64 / scores.len() as f64
}

#[cfg(test)]
mod tests;
