//! How many episodes, of what, judged how: everything that is fixed before the first is drawn.

use attacks::fewshot::EpisodeAttack;
use base::{Error, Result};
use serde::{Deserialize, Serialize};
use stats::streams::Seed;

use crate::Truth;
use crate::measure::FalsePositiveRule;

/// Fewer runs have no deviation.
const FEWEST_RUNS: usize = 2;

/// Every episode is drawn before the first is run: more records than this, all episodes together,
/// would fill the memory before anything could be said.
const MOST_DRAWN: usize = 4_000_000;

/// The design of a few-shot audit. The default is the paper's, with thresholds from validation.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// Known members, and as many known non-members; one series of episodes for each.
    pub shots: Vec<usize>,
    /// Validation records of each kind.
    pub validation: usize,
    /// Records of each kind that are asked about.
    pub query: usize,
    /// What [`Entrant`]s are made with, unless they say otherwise.
    pub runs: usize,
    pub thresholds: Thresholds,
    pub selection: Selection,
    /// False positives allowed in regime B.
    pub rule: FalsePositiveRule,
    pub seed: Seed,
}

/// Which records fix the threshold that the query set is judged at.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Thresholds {
    /// The validation set: what an attacker can do.
    #[default]
    Validation,
    /// The query set itself, in hindsight: what the published code does.
    Query,
}

/// How the validation set chooses among hyper-parameters.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// By members caught in regime A, then in regime B; the first among equals.
    #[default]
    BothRegimes,
    /// By members caught in regime A alone, the last among equals, as the published code does.
    Published,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            shots: vec![1, 5, 10],
            validation: 15,
            query: 15,
            runs: 500,
            thresholds: Thresholds::Validation,
            selection: Selection::BothRegimes,
            rule: FalsePositiveRule::Ceil,
            seed: Seed(0),
        }
    }
}

impl Design {
    /// Records of each kind that the largest episode takes.
    pub fn records_needed(&self) -> usize {
        let most = self.shots.iter().copied().max().unwrap_or(0);
        most + self.validation + self.query
    }

    /// Refuses what cannot be run on these records, with the counts and a remedy.
    pub fn check(&self, truth: &Truth) -> Result<()> {
        let too_few = |what: &str, least: usize| {
            Err(Error::setting(
                format!("a few-shot audit with too few {what}"),
                format!("ask for at least {least}"),
            ))
        };
        if self.shots.is_empty() || self.shots.contains(&0) {
            return too_few("shots", 1);
        }
        if self.runs < FEWEST_RUNS {
            return too_few("runs", FEWEST_RUNS);
        }
        if self.validation == 0 || self.query == 0 {
            return too_few("validation or query records", 1);
        }
        let needed = self.records_needed();
        if self.runs.saturating_mul(needed) > MOST_DRAWN {
            return Err(Error::setting(
                format!(
                    "{} runs of episodes of {needed} members and as many non-members",
                    self.runs
                ),
                format!("ask for at most {} runs", MOST_DRAWN / needed),
            ));
        }
        for (there, name) in [
            (truth.members(), "members"),
            (truth.nonmembers(), "non-members"),
        ] {
            if there < needed {
                return Err(Error::missing_access(
                    format!(
                        "{there} {name}, but an episode takes {needed}: {} shots, {} for \
                         validation and {} to ask about",
                        needed - self.validation - self.query,
                        self.validation,
                        self.query
                    ),
                    "ask for fewer shots, or lower validation and query",
                ));
            }
        }
        Ok(())
    }

    /// Non-members of the set that fixes the threshold.
    pub(super) fn calibrating(&self) -> usize {
        match self.thresholds {
            Thresholds::Validation => self.validation,
            Thresholds::Query => self.query,
        }
    }

    /// False positives that regime B allows in the set that fixes the threshold.
    pub fn allowed(&self) -> u64 {
        self.rule.false_positives(2 * self.calibrating() as u64)
    }
}

/// An attack in the audit, and how often it is run.
#[derive(Clone, Copy)]
pub struct Entrant {
    pub attack: &'static dyn EpisodeAttack,
    pub runs: usize,
    /// Runs with shuffled membership, which show what the procedure gives without a leak; none
    /// below two.
    pub control_runs: usize,
}

impl Entrant {
    /// As many control runs as runs, or a fifth where every run trains models.
    pub fn new(attack: &'static dyn EpisodeAttack, runs: usize) -> Self {
        let control_runs = if attack.trains() {
            runs.div_ceil(5).max(FEWEST_RUNS)
        } else {
            runs
        };
        Self {
            attack,
            runs,
            control_runs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_records_are_refused_with_counts_and_a_remedy() {
        let truth = Truth::new((0..79).map(|record| record < 40)).unwrap();
        let error = Design::default().check(&truth).unwrap_err().to_string();
        assert!(
            error.contains("39 non-members, but an episode takes 40: 10 shots"),
            "{error}"
        );
        assert!(error.contains("hint: ask for fewer shots"), "{error}");
        let truth = Truth::new((0..80).map(|record| record < 40)).unwrap();
        assert!(Design::default().check(&truth).is_ok());
    }

    #[test]
    fn an_audit_of_nothing_or_without_end_is_refused() {
        let truth = Truth::new((0..200).map(|record| record < 100)).unwrap();
        let wrong = [
            Design {
                shots: vec![],
                ..Design::default()
            },
            Design {
                shots: vec![5, 0],
                ..Design::default()
            },
            Design {
                runs: 1,
                ..Design::default()
            },
            Design {
                query: 0,
                ..Design::default()
            },
            Design {
                runs: 1_000_000_000,
                ..Design::default()
            },
        ];
        assert!(wrong.iter().all(|design| design.check(&truth).is_err()));
    }
}
