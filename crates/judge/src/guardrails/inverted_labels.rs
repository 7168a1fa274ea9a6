//! Do attacks point the wrong way, as they do when member flags are swapped?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let confidence = evidence.gate.confidence_for(evidence.attacks.len());
    let best = evidence
        .attacks
        .iter()
        .map(|attack| attack.auc.value)
        .fold(0.0, f64::max);
    let worst = evidence
        .attacks
        .iter()
        .min_by(|a, b| a.auc.value.total_cmp(&b.auc.value))?;
    let below_chance = worst.auc.at_confidence(confidence).high < 0.5;
    let more_below_than_above = 0.5 - worst.auc.value > best - 0.5;
    Some(match (below_chance, more_below_than_above) {
        (true, true) => (
            Status::Violated,
            format!(
                "{} has an AUC of {:.4}, significantly below chance, and no attack is as far \
                 above it: members and non-members may be swapped; check what 1 means in keep",
                worst.id, worst.auc.value
            ),
        ),
        (true, false) => (
            Status::Warn,
            format!(
                "{} has an AUC of {:.4}, significantly below chance: its assumptions do not hold \
                 here",
                worst.id, worst.auc.value
            ),
        ),
        _ => (Status::Ok, "no attack is significantly below chance".into()),
    })
}
