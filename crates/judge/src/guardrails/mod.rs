//! Guardrails: when an audit means little, or nothing. One file and one line each.

mod abstentions;
mod beyond_chance;
mod blind_baseline;
mod class_balance;
mod dataset_inference;
mod detectable_leak;
mod echo;
mod enough_nonmembers;
mod failed_requests;
mod inverted_labels;
mod multiple_attacks;
mod near_duplicates;
mod query_variations;
mod refusals;
mod repeatability;
mod same_tokens;
mod saturated_signals;
mod shadow_coverage;
mod short_texts;
mod store_contents;
mod target_unlike_shadows;
mod telling_splits;
mod text_dates;
mod text_lengths;
mod tied_scores;
mod topics;
mod training_file;
mod without_retrieval;

use serde::{Deserialize, Serialize};

use crate::AttackMeasures;
use crate::gate::Gate;
use crate::probes::ProbeFacts;
use crate::texts::TextFacts;

/// How bad it is. A violated guardrail makes the verdict inconclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Warn,
    Violated,
}

/// What a guardrail found, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    pub id: String,
    pub status: Status,
    pub detail: String,
}

/// What is known of the shadow models.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ShadowFacts {
    pub shadows: usize,
    /// Records that no shadow trained on, and that every shadow trained on.
    pub records_without_in: usize,
    pub records_without_out: usize,
    /// The median number of IN and of OUT shadows of a record.
    pub median_in: usize,
    pub median_out: usize,
    /// Stored values that pile up at the largest or smallest value.
    pub saturated_values: u64,
    pub stored_values: u64,
    /// Mean φ over all records: the audited model's, and the shadows' mean and deviation.
    pub target_mean: f64,
    pub shadow_mean: f64,
    pub shadow_deviation: f64,
    /// How much higher φ is where a shadow trained, over shadows, and the error of that mean.
    pub training_gain: f64,
    pub training_gain_error: f64,
    /// The AUC of the number of IN shadows against the truth: one half where splits tell nothing.
    pub count_auc: f64,
}

/// Everything a guardrail may look at.
pub struct Evidence<'a> {
    pub members: usize,
    pub nonmembers: usize,
    pub attacks: &'a [AttackMeasures],
    /// The attack the gate looks at.
    pub gated: Option<&'a str>,
    pub gate: &'a Gate,
    pub fprs: &'a [f64],
    pub holdout: bool,
    /// Absent where the audit has no shadow models.
    pub shadows: Option<&'a ShadowFacts>,
    /// Absent where the records are no texts.
    pub texts: Option<&'a TextFacts>,
    /// Absent where no service was asked.
    pub probes: Option<&'a ProbeFacts>,
}

impl Evidence<'_> {
    fn gated_attack(&self) -> Option<&AttackMeasures> {
        self.attacks
            .iter()
            .find(|attack| Some(attack.id.as_str()) == self.gated)
    }
}

type Check = fn(&Evidence) -> Option<(Status, String)>;

/// Every guardrail; one that does not apply to an audit says nothing.
static GUARDRAILS: &[(&str, Check)] = &[
    ("class-balance", class_balance::check),
    ("enough-nonmembers", enough_nonmembers::check),
    ("inverted-labels", inverted_labels::check),
    ("tied-scores", tied_scores::check),
    ("abstentions", abstentions::check),
    ("shadow-coverage", shadow_coverage::check),
    ("saturated-signals", saturated_signals::check),
    ("target-unlike-shadows", target_unlike_shadows::check),
    ("telling-splits", telling_splits::check),
    ("blind-baseline", blind_baseline::check),
    ("near-duplicates", near_duplicates::check),
    ("text-lengths", text_lengths::check),
    ("text-dates", text_dates::check),
    ("training-file", training_file::check),
    ("same-tokens", same_tokens::check),
    ("short-texts", short_texts::check),
    ("dataset-inference", dataset_inference::check),
    ("topics", topics::check),
    ("query-variations", query_variations::check),
    ("store-contents", store_contents::check),
    ("without-retrieval", without_retrieval::check),
    ("echo", echo::check),
    ("refusals", refusals::check),
    ("failed-requests", failed_requests::check),
    ("repeatability", repeatability::check),
    ("detectable-leak", detectable_leak::check),
    ("beyond-chance", beyond_chance::check),
    ("multiple-attacks", multiple_attacks::check),
];

/// The name of every guardrail.
pub fn ids() -> impl Iterator<Item = &'static str> {
    GUARDRAILS.iter().map(|(id, _)| *id)
}

/// Asks every guardrail.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    GUARDRAILS
        .iter()
        .filter_map(|(id, check)| {
            check(evidence).map(|(status, detail)| Finding {
                id: (*id).to_string(),
                status,
                detail,
            })
        })
        .collect()
}

fn percent(part: f64, whole: f64) -> String {
    format!("{:.1}%", 100.0 * part / whole)
}

#[cfg(test)]
mod tests;
