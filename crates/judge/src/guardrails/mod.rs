//! Guardrails: when an audit means little, or nothing. One file and one line each.

mod abstentions;
mod asked_again;
mod below_chance;
mod best_threshold;
pub(crate) mod beyond_chance;
mod blind_baseline;
mod canaries;
mod checkpoints;
mod class_balance;
mod controls;
mod cut_answers;
mod dataset_inference;
mod detectable_leak;
mod duplicates;
mod earlier_levels;
mod echo;
mod enough_nonmembers;
mod evidence;
mod failed_requests;
mod few_members;
mod finding;
mod inverted_labels;
mod joined_scores;
mod left_out_columns;
mod models_alike;
mod multiple_attacks;
mod near_duplicates;
mod other_joins;
mod other_records;
mod other_rows;
mod partly_reached;
mod persons;
mod policy_attackers;
mod policy_sizes;
mod private_settings;
mod query_variations;
mod raised_threshold;
mod reached;
mod record_counts;
mod reference_model;
mod refusals;
mod registry;
mod repeatability;
mod repeated_ids;
mod same_service;
mod same_tokens;
mod saturated_signals;
mod sets_differ;
mod shadow_coverage;
mod short_texts;
pub(crate) mod slices;
mod store_contents;
mod target_among_shadows;
mod target_gain;
mod target_unlike_shadows;
mod telling_signals;
mod telling_splits;
mod text_dates;
mod text_lengths;
mod tied_scores;
mod topics;
mod training_file;
mod weak_access;
mod without_retrieval;

pub use self::canaries::CanaryFacts;
pub use self::checkpoints::LeakingCheckpoint;
pub use self::duplicates::DuplicateFacts;
pub use self::earlier_levels::EarlierLevels;
pub use self::evidence::{Evidence, ShadowFacts, View};
pub use self::finding::{Blocks, Finding, Status};
pub use self::joined_scores::Joined;
pub use self::left_out_columns::LeftOutColumn;
pub use self::models_alike::Alike;
pub use self::other_records::RecordOrder;
use self::registry::Guardrail;
pub use self::repeated_ids::RepeatedIds;
pub use self::sets_differ::Apart;
use crate::measure::Auc;
use crate::{AttackMeasures, Turned};

/// Where the gate looks at another measure than AUC, what tells as well as this goes with no pass.
const PLAIN_AUC: f64 = 0.9;

/// The name of every guardrail.
pub fn ids() -> impl Iterator<Item = &'static str> {
    registry::all().map(|guardrail| guardrail.id)
}

/// Which verdict the guardrail of that name blocks when it is violated, and why, for its card.
pub fn direction(id: &str) -> Option<String> {
    let found = registry::all().find(|guardrail| guardrail.id == id)?;
    Some(format!("{} ({})", found.blocks.as_str(), found.why))
}

/// Asks every guardrail, for every criterion: what they say of each alike is one finding.
pub fn check(evidence: &Evidence) -> Vec<Finding> {
    let further = evidence.further.iter().map(|view| evidence.seen_by(view));
    let all: Vec<Evidence> = std::iter::once(evidence.clone()).chain(further).collect();
    registry::all()
        .flat_map(|guardrail| findings(guardrail, &all))
        .collect()
}

/// What one guardrail finds, criterion by criterion.
fn findings(guardrail: &Guardrail, criteria: &[Evidence]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (place, evidence) in criteria.iter().enumerate() {
        let Some((status, detail)) = (guardrail.check)(evidence) else {
            continue;
        };
        let same = |one: &&mut Finding| one.status == status && one.detail == detail;
        match found.iter_mut().find(same) {
            Some(known) => known.criteria.push(place),
            None => found.push(Finding {
                id: guardrail.id.to_string(),
                status,
                blocks: guardrail.blocks,
                detail,
                criteria: vec![place],
                detectable: match guardrail.id {
                    detectable_leak::ID => detectable_leak::least(evidence),
                    _ => None,
                },
            }),
        }
    }
    for one in &mut found {
        if one.criteria.len() == criteria.len() {
            one.criteria.clear();
        }
    }
    found
}

/// Attacks whose whole interval, corrected for their number, lies below one half, but for those that
/// splits which tell the truth have pushed there.
fn significantly_below<'a>(evidence: &'a Evidence) -> Vec<&'a AttackMeasures> {
    let confidence = evidence.gate.confidence_for(evidence.attacks.len());
    let below = |attack: &&AttackMeasures| attack.auc.at_confidence(confidence).high < 0.5;
    let pushed = |attack: &&AttackMeasures| telling_splits::explain(evidence, attack);
    let below = evidence.attacks.iter().filter(below);
    below.filter(|attack| !pushed(attack)).collect()
}

/// What an attack tells turned round, unless it lies below one half as a whole, or splits that tell the truth have
/// pushed it there: then others say so.
fn turned<'a>(evidence: &Evidence, attack: &'a AttackMeasures) -> Option<&'a Turned> {
    let below = significantly_below(evidence);
    let told = below.iter().any(|one| one.id == attack.id);
    let explained = told || telling_splits::explain(evidence, attack);
    attack.turned.as_ref().filter(|_| !explained)
}

/// What fails needs no more words about what else would tell.
fn fails_anyway(evidence: &Evidence) -> bool {
    let gate = evidence.gate;
    let confidence = gate.confidence_for(evidence.tried());
    let gated = evidence.gated_attack();
    let reading = gated.and_then(|attack| gate.measure.read(attack, confidence));
    reading.is_some_and(|reading| gate.fails(&reading))
}

/// With its interval at 99%, where that leaves one half aside.
fn tells(auc: &Auc) -> Option<Auc> {
    let auc = auc.at_confidence(0.99);
    (auc.low > 0.5 || auc.high < 0.5).then_some(auc)
}

fn percent(part: f64, whole: f64) -> String {
    format!("{:.1}%", 100.0 * part / whole)
}

#[cfg(test)]
mod tests;
