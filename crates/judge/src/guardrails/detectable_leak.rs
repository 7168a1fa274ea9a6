//! Could so few documents have shown a leak at the threshold?

use super::{Evidence, Status};
use crate::gate::Measure;
use crate::probes::{minimum_detectable_auc, needed_for};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    evidence.probes?;
    let least = minimum_detectable_auc(evidence.members, evidence.nonmembers);
    let found =
        format!("so many documents show an AUC of {least:.3} or more (5% level, 80% power)");
    let gate = evidence.gate;
    if gate.measure != Measure::Auc || least <= gate.threshold {
        return Some((Status::Ok, found));
    }
    let passes = evidence
        .gated_attack()
        .is_some_and(|attack| attack.auc.value < gate.threshold);
    let detail = format!(
        "{found}: less than the threshold {} could stay unseen; give {} of each kind",
        gate.threshold,
        needed_for(gate.threshold)
    );
    Some(match passes {
        // Only a pass rests on having been able to see.
        true => (Status::Violated, detail),
        false => (Status::Warn, detail),
    })
}
