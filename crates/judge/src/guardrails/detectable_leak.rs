//! Could so few records have shown a leak at the threshold?

use super::{Evidence, Status};
use crate::gate::Gate;
use crate::power::{minimum_detectable, needed_for};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    // Records that the attack abstained on show nothing.
    let gated = evidence.gated_attack()?;
    let (members, nonmembers) = (
        different(gated.n_members, evidence),
        different(gated.n_nonmembers, evidence),
    );
    let gate = evidence.gate;
    let least = minimum_detectable(gate.measure, members, nonmembers)?;
    let found = format!(
        "{members} members and {nonmembers} non-members are enough to see a {} of {least:.3} or more \
         (5% level, 80% power)",
        gate.measure
    );
    if least <= gate.threshold {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}, but a leak at the threshold {} could stay unseen; give {}",
        gate.threshold,
        needed(gate)
    );
    Some((Status::Violated, detail))
}

/// Copies of a record say what the record says: as many as are different count.
fn different(records: u64, evidence: &Evidence) -> usize {
    let repeated = evidence.duplicates.filter(|facts| !facts.counted_once);
    let share = repeated.map_or(1.0, |facts| {
        facts.different as f64 / facts.records.max(1) as f64
    });
    (records as f64 * share).round() as usize
}

/// How many records a leak at the threshold needs, in words.
pub fn needed(gate: &Gate) -> String {
    match needed_for(gate.measure, gate.threshold) {
        Some(count) => format!("{count} of each kind"),
        None => "a threshold above chance: no number of records is enough for this one".into(),
    }
}
