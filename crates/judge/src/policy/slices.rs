//! A criterion that every slice must meet.

use super::{Scope, Smallest};
use crate::Error;
use crate::diagnostics::Slices;
use crate::diagnostics::slices::SliceFinding;
use crate::gate::Gate;
use crate::power::needed;
use crate::verdict::Decision;

/// Slices that could not be decided are named up to this many.
const NAMED: usize = 5;

/// What the worst slice says; an error where there are none, or where one that is large enough to
/// count could not have shown a leak and none fails.
pub fn decide_slices(
    slices: Option<&Slices>,
    gate: &Gate,
    smallest: &Smallest,
    attacks: usize,
) -> Result<Decision, Error> {
    let Some(slices) = slices else {
        return Err(Error::input(
            format!(
                "{} of every slice cannot be decided: the records were not cut into any",
                gate.measure
            ),
            "name columns to slice by (--slice, or audit.slices), or audit signals that have labels",
        ));
    };
    if slices.worst().is_none() {
        return Err(Error::input(
            format!(
                "{} of every slice cannot be decided: no slice has enough records",
                gate.measure
            ),
            format!(
                "give more records of each, or slice by fewer values; {}",
                wanted(gate, attacks)
            ),
        ));
    }
    let open: Vec<&SliceFinding> = slices
        .slices
        .iter()
        .filter(|one| is_open(one, smallest))
        .collect();
    if !open.is_empty() && !slices.violate() {
        return Err(Error::input(
            format!(
                "{} of every slice cannot be decided: too few records to show a leak at the threshold \
                 {} in {}",
                gate.measure,
                gate.threshold,
                named(&open)
            ),
            format!(
                "{}; or raise smallest.slice in the policy, which says from which size on a slice must \
                 be decided",
                wanted(gate, attacks)
            ),
        ));
    }
    let found = slices.deciding();
    let found = found.filter(|_| slices.unjudged.is_empty() || slices.violate());
    let Some((_, worst)) = found else {
        return Err(unjudged(slices, gate, attacks));
    };
    Ok(Decision {
        attack: worst.attack.clone(),
        measure: gate.measure,
        rule: gate.rule,
        threshold: gate.threshold,
        value: worst.value,
        low: worst.low,
        high: worst.high,
        confidence: worst.confidence,
        tried: attacks,
        holdout: false,
        scope: Scope::Slice,
        level: None,
        repetitions: None,
    })
}

/// Nearly nothing was looked at by itself: that no slice leaks says little of "every slice".
fn unjudged(slices: &Slices, gate: &Gate, attacks: usize) -> Error {
    let of = match slices.unjudged.is_empty() {
        true => String::new(),
        false => format!(" of {}", slices.unjudged.join(", ")),
    };
    Error::input(
        format!(
            "{} of every slice cannot be decided: slices{of} that are large enough to show a leak at the \
             threshold {} hold less than half of the records",
            gate.measure, gate.threshold
        ),
        format!(
            "give more records of each, or slice by fewer values; {}",
            wanted(gate, attacks)
        ),
    )
}

/// Large enough to count, and yet not decided.
fn is_open(slice: &SliceFinding, smallest: &Smallest) -> bool {
    let counts = slice.members.min(slice.nonmembers) >= smallest.slice as u64;
    counts && slice.gate.as_ref().is_none_or(|gate| gate.small)
}

fn named(open: &[&SliceFinding]) -> String {
    let one = |slice: &&SliceFinding| {
        format!(
            "{} = {} ({} + {})",
            slice.column, slice.value, slice.members, slice.nonmembers
        )
    };
    let shown: Vec<String> = open.iter().take(NAMED).map(one).collect();
    match open.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn wanted(gate: &Gate, attacks: usize) -> String {
    match needed(gate, attacks) {
        Some(count) => format!("each needs {count} members and as many non-members"),
        None => "no number of records is enough for this threshold".into(),
    }
}
