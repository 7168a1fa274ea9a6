//! Is a leak that fails the gate more than chance?

use super::{Evidence, Status};
use crate::diagnostics::Slices;
use crate::gate::Measure;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // What a slice shows beyond chance is no chance.
    if evidence.slices.is_some_and(Slices::violate) {
        return None;
    }
    let gated = evidence.gated_attack()?;
    if evidence.gate.measure != Measure::Auc || gated.auc.value < evidence.gate.threshold {
        return None;
    }
    let tried = if evidence.holdout {
        1
    } else {
        evidence.attacks.len()
    };
    let auc = gated.auc.at_confidence(evidence.gate.confidence_for(tried));
    if auc.low > 0.5 {
        return None;
    }
    let detail = format!(
        "the interval of {}, {:.3} to {:.3}, holds one half: so few records reach {:.3} by chance, so \
         that this is no evidence of a leak; add records",
        gated.id, auc.low, auc.high, auc.value
    );
    Some((Status::Violated, detail))
}
