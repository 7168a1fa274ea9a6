//! Did leakage rise or fall between two reports? The judge compares the measures; here it is decided
//! whether the two reports may be compared at all, and what that leaves open.

mod decide;
mod remarks;

use judge::compare::{Audited, Strongest, compare, strongest};
use report::{Difference, Report};

use crate::Error;

fn audited(report: &Report) -> Audited<'_> {
    Audited {
        attacks: &report.attacks,
        persons: report
            .persons
            .as_ref()
            .map(|persons| persons.attacks.as_slice()),
        slices: report.diagnostics.slices.as_ref(),
    }
}

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
    let changes = compare(&audited(baseline), &audited(current));
    if changes.is_empty() {
        return Err(Error::usage(
            "the two reports have no attack in common",
            "run both audits with the same attacks",
        ));
    }
    let strongest = leaders(baseline, current);
    let (outcome, reason) = decide::decide(baseline, current, &changes, level);
    let fell = changes.iter().any(|one| one.is_fall(level));
    let leaders = strongest.as_ref().filter(|_| fell);
    let mut remarks: Vec<String> = (leaders.iter().copied())
        .map(|leaders| decide::improved(leaders, level))
        .collect();
    remarks.extend(remarks::remarks(baseline, current, outcome));
    Ok(Difference {
        remarks,
        strongest,
        outcome,
        reason,
        level,
        changes,
    })
}

/// The strongest attacks of both. An attack that nobody tried again may be as strong as it was; one that was tried and
/// could judge nothing is not.
fn leaders(baseline: &Report, current: &Report) -> Option<Strongest> {
    let tried = |id: &str| {
        let judged = current.attacks.iter().any(|attack| attack.id == id);
        judged || current.skipped.iter().any(|skipped| skipped.id == id)
    };
    let every = baseline.attacks.iter().all(|attack| tried(&attack.id));
    let found = strongest(&baseline.attacks, &current.attacks);
    found.filter(|_| every)
}
