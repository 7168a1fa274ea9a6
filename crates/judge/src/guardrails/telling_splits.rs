//! Does the number of shadows that trained on a record tell whether the target did?
//!
//! When every record is in exactly half of all models, the target among them, a member is in one
//! shadow fewer than a non-member. An attack that looks at the number then reads the truth.

use super::{Evidence, Status};
use crate::AttackMeasures;

/// Beyond these the count tells members apart.
const NEAR_CHANCE: std::ops::RangeInclusive<f64> = 0.45..=0.55;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows.filter(|facts| facts.shadows > 0)?;
    let auc = facts.count_auc;
    let found = format!("the number of IN shadows alone has an AUC of {auc:.3}");
    if NEAR_CHANCE.contains(&auc) {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}: the splits were balanced over all models, the target among them, so that a \
         record's count gives its membership away; the elsa attacks see the count and are shifted \
         by it, and so are bavaria and gamma when shadows are few; use about half of the shadows, or draw the target's split \
         apart from the shadows'"
    );
    let status = match rests_on_counts(evidence) {
        true => Status::Violated,
        false => Status::Warn,
    };
    Some((status, detail))
}

/// Whether an attack sees the number of shadows, and the number tells.
pub fn explain(evidence: &Evidence, attack: &AttackMeasures) -> bool {
    let auc = evidence.shadows.map_or(0.5, |facts| facts.count_auc);
    !NEAR_CHANCE.contains(&auc) && sees_counts(attack)
}

/// Attacks whose scores depend on how many shadows trained on a record.
fn sees_counts(attack: &AttackMeasures) -> bool {
    ["elsa", "bavaria", "gamma"]
        .iter()
        .any(|family| attack.id.starts_with(family))
}

/// Whether the gate would fail by attacks that see the count, and by no other.
fn rests_on_counts(evidence: &Evidence) -> bool {
    let confidence = evidence.gate.confidence_for(evidence.attacks.len());
    let fails = |attack: &&AttackMeasures| {
        let reading = evidence.gate.measure.read(attack, confidence);
        reading.is_some_and(|reading| evidence.gate.fails(&reading))
    };
    let failing: Vec<&AttackMeasures> = evidence.attacks.iter().filter(fails).collect();
    !failing.is_empty() && failing.into_iter().all(sees_counts)
}
