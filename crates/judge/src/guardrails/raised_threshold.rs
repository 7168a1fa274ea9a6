//! Does an audit pass only because its threshold was raised?
//!
//! The threat specification warns of an AUC from 0.7 to 0.8 (moderate) and lets everything above fail (strong).

use super::{Evidence, Status};
use crate::gate::{DEFAULT_AUC_THRESHOLD, Measure, band};

/// Where the specification begins to warn.
const WARNED_OF: f64 = 0.7;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let gate = evidence.gate;
    let auc = &evidence.gated_attack()?.auc;
    let raised = gate.measure == Measure::Auc && gate.threshold > DEFAULT_AUC_THRESHOLD;
    if !raised || !(WARNED_OF..gate.threshold).contains(&auc.value) {
        return None;
    }
    let detail = format!(
        "an AUC of {:.3} is a {} leak by the threat specification (0.7 to 0.8: warning, above: fail) and \
         stays below the threshold only because that was raised from {DEFAULT_AUC_THRESHOLD} to {}; say why \
         such a leak is acceptable, or lower the threshold",
        auc.value,
        band(auc.value),
        gate.threshold
    );
    Some((Status::Warn, detail))
}
