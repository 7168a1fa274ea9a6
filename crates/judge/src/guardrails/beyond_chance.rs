//! Is a leak that fails the gate more than chance?

use super::{Evidence, Status};
use crate::diagnostics::Slices;
use crate::gate::Measure;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // What a slice shows beyond chance is no chance.
    if evidence.slices.is_some_and(Slices::violate) {
        return None;
    }
    if evidence.gate.measure != Measure::Auc {
        return None;
    }
    let tried = if evidence.holdout {
        1
    } else {
        evidence.attacks.len()
    };
    let confidence = evidence.gate.confidence_for(tried);
    // With persons, either level may fail, and one that is no chance is enough.
    let levels = [evidence.gated_attack(), evidence.gated_by_person()];
    let failing = levels.into_iter().flatten();
    let failing = failing.filter(|attack| attack.auc.value >= evidence.gate.threshold);
    let failing: Vec<_> = failing
        .map(|attack| (attack, attack.auc.at_confidence(confidence)))
        .collect();
    if failing.iter().any(|(_, auc)| auc.low > 0.5) {
        return None;
    }
    let (gated, auc) = failing.into_iter().next()?;
    let detail = format!(
        "the interval of {}, {:.3} to {:.3}, holds one half: so few records reach {:.3} by chance, so \
         that this is no evidence of a leak; add records",
        gated.id, auc.low, auc.high, auc.value
    );
    Some((Status::Violated, detail))
}
