//! Did leakage rise between two reports? The judge compares the measures; here it is decided
//! whether the two reports may be compared at all, and what that leaves open.

mod remarks;

use judge::compare::{Change, compare};
use judge::verdict::Outcome;
use report::{Difference, Report};

use crate::Error;

/// Compares two reports at the given level.
pub fn difference(baseline: &Report, current: &Report, level: f64) -> Result<Difference, Error> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::usage(
            format!("the level is {level}"),
            "give a probability such as 0.05",
        ));
    }
    if baseline.kind() != current.kind() {
        return Err(Error::usage(
            format!(
                "the baseline audits {}, the current report {}",
                baseline.kind(),
                current.kind()
            ),
            "compare reports of the same kind",
        ));
    }
    let changes = compare(&baseline.attacks, &current.attacks);
    if changes.is_empty() {
        return Err(Error::usage(
            "the two reports have no attack in common",
            "run both audits with the same attacks",
        ));
    }
    let (outcome, reason) = decide(baseline, current, &changes, level);
    Ok(Difference {
        remarks: remarks::remarks(baseline, current, outcome),
        outcome,
        reason,
        level,
        changes,
    })
}

fn decide(
    baseline: &Report,
    current: &Report,
    changes: &[Change],
    level: f64,
) -> (Outcome, String) {
    for (name, report) in [("baseline", baseline), ("current", current)] {
        if report.verdict.outcome == Outcome::Inconclusive {
            let reason = format!("the {name} audit is inconclusive, so no rise can be told");
            return (Outcome::Inconclusive, reason);
        }
    }
    let rises: Vec<&Change> = changes.iter().filter(|one| one.is_rise(level)).collect();
    if let Some(first) = rises.first() {
        let reason = format!(
            "{} of the compared measures rose beyond noise, {} of {} among them",
            rises.len(),
            first.measure,
            first.attack
        );
        return (Outcome::Fail, reason);
    }
    let decided = baseline.verdict.gate.as_ref();
    match decided.filter(|gate| current.attacks.iter().all(|one| one.id != gate.attack)) {
        Some(gate) => (
            Outcome::Inconclusive,
            format!(
                "{}, which decided the baseline, is missing from the current report, so a rise \
                 may be hidden",
                gate.attack
            ),
        ),
        None => (Outcome::Pass, "no measure rose beyond noise".into()),
    }
}
