//! Does a part of the records leak, though all of them together do not?

use super::{Evidence, Status, detectable_leak};
use crate::diagnostics::slice_gate::{SliceGate, Standing};
use crate::diagnostics::slices::{SliceFinding, Slices};

/// Small slices that are named.
const NAMED: usize = 5;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let slices = evidence.slices?;
    let (worst, gate) = slices.worst()?;
    let found = format!("the worst slice is {}", describe(worst, gate));
    let detail = match gate.standing {
        // The verdict says so itself.
        Standing::Violates => return Some((Status::Warn, found)),
        Standing::Suspect => format!(
            "{found}, more than the rest beyond chance, but not surely above the threshold {}, counting \
             all attacks and slices; give more records of this slice",
            evidence.gate.threshold,
        ),
        Standing::Within => found,
    };
    if gate.standing == Standing::Suspect {
        return Some((Status::Violated, detail));
    }
    Some(match unseen(slices, evidence) {
        None => (Status::Ok, detail),
        Some(unseen) => (Status::Warn, format!("{detail}; {unseen}")),
    })
}

/// A slice and what the best attack reaches there.
pub fn describe(slice: &SliceFinding, gate: &SliceGate) -> String {
    format!(
        "{} = {}: {} reaches {:.3} there ({:.3} to {:.3}; {} members, {} non-members)",
        slice.column,
        slice.value,
        gate.attack,
        gate.value,
        gate.low,
        gate.high,
        slice.members,
        slice.nonmembers
    )
}

/// The slices that are too small to show a leak at the threshold, and what they would need.
fn unseen(slices: &Slices, evidence: &Evidence) -> Option<String> {
    let blind = |slice: &&SliceFinding| match &slice.gate {
        None => true,
        Some(gate) => gate.small,
    };
    let small: Vec<String> = (slices.slices.iter().filter(blind))
        .map(|slice| {
            let (members, nonmembers) = (slice.members, slice.nonmembers);
            format!(
                "{} = {} ({members} + {nonmembers})",
                slice.column, slice.value
            )
        })
        .collect();
    let named = small[..small.len().min(NAMED)].join(", ");
    let more = match small.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!small.is_empty()).then(|| {
        format!(
            "too small to show a leak at the threshold, so that the verdict says nothing of them: \
             {named}{more}; each needs {}",
            detectable_leak::needed(evidence.gate, evidence.attacks.len())
        )
    })
}
