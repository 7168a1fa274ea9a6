//! Does an audit pass only because of where its threshold lies?
//!
//! The threat specification warns of an AUC from 0.7 to 0.8 (moderate) and lets everything above fail (strong). A gate
//! on another measure may be set so high that it lets such a leak through, too.

use super::{Evidence, Status};
use crate::gate::{DEFAULT_AUC_THRESHOLD, Gate, Measure, band};

/// Where the specification begins to warn.
const WARNED_OF: f64 = 0.7;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let gate = evidence.gate;
    let passes = |attack| {
        let reading = gate.measure.read(attack, gate.confidence);
        reading.is_some_and(|reading| !gate.fails(&reading))
    };
    let gated = evidence.gated_attack().filter(|attack| passes(attack))?;
    let worst = match gate.measure {
        Measure::Auc => gated.auc.value,
        _ => (evidence.attacks.iter())
            .fold(gated.auc.value, |worst, attack| worst.max(attack.auc.value)),
    };
    let usual = gate.measure == Measure::Auc && gate.threshold <= DEFAULT_AUC_THRESHOLD;
    if usual || worst < WARNED_OF {
        return None;
    }
    let detail = format!(
        "an AUC of {worst:.3} is a {} leak by the threat specification (0.7 to 0.8: warning, above: fail) and {}; say \
         why such a leak is acceptable, or lower the threshold",
        band(worst),
        why(gate)
    );
    Some((Status::Warn, detail))
}

fn why(gate: &Gate) -> String {
    match gate.measure {
        Measure::Auc => format!(
            "stays below the threshold only because that was raised from {DEFAULT_AUC_THRESHOLD} to {}",
            gate.threshold
        ),
        _ => format!(
            "passes because the gate looks at another measure alone, whose threshold is {}",
            gate.threshold
        ),
    }
}
