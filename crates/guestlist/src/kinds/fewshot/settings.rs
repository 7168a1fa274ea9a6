//! Episodes as a user asks for them.

use judge::fewshot::{Design, Selection, Thresholds};
use judge::measure::FalsePositiveRule;
use serde::Deserialize;
use stats::streams::Seed;

use crate::pipeline::AuditRequest;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EpisodeSettings {
    /// Known members, and as many known non-members.
    pub shots: Vec<usize>,
    pub validation: usize,
    pub query: usize,
    pub runs: usize,
    pub thresholds: ThresholdName,
}

/// Where thresholds come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ThresholdName {
    #[default]
    Validation,
    /// The query set's own, in hindsight.
    Query,
    /// The same, and hyper-parameters chosen as the published code does.
    Published,
}

impl Default for EpisodeSettings {
    fn default() -> Self {
        let usual = Design::default();
        Self {
            shots: usual.shots,
            validation: usual.validation,
            query: usual.query,
            runs: usual.runs,
            thresholds: ThresholdName::default(),
        }
    }
}

impl EpisodeSettings {
    /// As an audit asks for them; the usual where it says nothing.
    pub fn asked(request: &AuditRequest) -> Self {
        let usual = Self::default();
        Self {
            shots: match request.shots.is_empty() {
                true => usual.shots,
                false => request.shots.clone(),
            },
            validation: request.validation.unwrap_or(usual.validation),
            query: request.query.unwrap_or(usual.query),
            runs: request.runs.unwrap_or(usual.runs),
            thresholds: request.thresholds.unwrap_or_default(),
        }
    }

    /// What the judge is told. Each number of shots counts once.
    pub fn design(&self, rule: FalsePositiveRule, seed: u64) -> Design {
        let mut shots: Vec<usize> = Vec::new();
        for &count in &self.shots {
            if !shots.contains(&count) {
                shots.push(count);
            }
        }
        let (thresholds, selection) = match self.thresholds {
            ThresholdName::Validation => (Thresholds::Validation, Selection::BothRegimes),
            ThresholdName::Query => (Thresholds::Query, Selection::BothRegimes),
            ThresholdName::Published => (Thresholds::Query, Selection::Published),
        };
        Design {
            shots,
            validation: self.validation,
            query: self.query,
            runs: self.runs,
            thresholds,
            selection,
            rule,
            seed: Seed(seed),
        }
    }
}
