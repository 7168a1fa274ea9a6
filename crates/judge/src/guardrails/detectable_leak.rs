//! Could so few documents have shown a leak at the threshold?

use super::{Evidence, Status};
use crate::gate::Measure;
use crate::probes::{minimum_detectable_auc, needed_for};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    evidence.probes?;
    // Documents that the attack abstained on show nothing.
    let judged = evidence.gated_attack();
    let (members, nonmembers) = judged.map_or((evidence.members, evidence.nonmembers), |attack| {
        (attack.n_members as usize, attack.n_nonmembers as usize)
    });
    let least = minimum_detectable_auc(members, nonmembers);
    let found = format!(
        "{members} members and {nonmembers} non-members are enough to see an AUC of {least:.3} or more \
         (5% level, 80% power)"
    );
    let gate = evidence.gate;
    if gate.measure != Measure::Auc || least <= gate.threshold {
        return Some((Status::Ok, found));
    }
    let passes = evidence
        .gated_attack()
        .is_some_and(|attack| attack.auc.value < gate.threshold);
    let detail = format!(
        "{found}, but a leak at the threshold {} could stay unseen; give {} of each kind",
        gate.threshold,
        needed_for(gate.threshold)
    );
    Some(match passes {
        // Only a pass rests on having been able to see.
        true => (Status::Violated, detail),
        false => (Status::Warn, detail),
    })
}
