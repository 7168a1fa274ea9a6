//! Did leakage rise or fall between two reports? The judge compares the measures; here it is decided
//! whether the two reports may be compared at all, and what that leaves open.

mod decide;
mod remarks;
mod uncompared;

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
    let undecided = decide::undecided(baseline, current);
    let strongest = leaders(baseline, current).filter(|_| undecided.is_none());
    let (outcome, reason) = decide::decide(baseline, current, &changes, level);
    let fell = changes.iter().any(|one| one.is_fall(level));
    let leaders = strongest.as_ref().filter(|_| fell);
    let mut remarks: Vec<String> = (leaders.iter().copied())
        .map(|leaders| decide::improved(leaders, level))
        .collect();
    remarks.extend(undecided.filter(|_| fell).map(decide::untold));
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

#[cfg(test)]
mod tests {
    use judge::guardrails::{Blocks, Finding, Status};
    use judge::verdict::Outcome;
    use report::Detail;
    use report::rag::Rag;

    use super::*;
    use crate::advice::tests::failed;

    #[test]
    fn an_audit_that_tested_nothing_shows_no_fall() {
        let of = |value: f64| failed(Detail::Rag(Rag::default()), &[("citation", value)]);
        let fell = |current: &Report| {
            let found = difference(&of(0.95), current, 0.05).unwrap();
            let told = |words: &str| found.remarks.iter().any(|remark| remark.contains(words));
            (
                told("leakage fell"),
                told("whether leakage did is not known"),
            )
        };
        let mut current = of(0.5);
        assert_eq!(fell(&current), (true, false));
        current.verdict.outcome = Outcome::Inconclusive;
        current.guardrails = vec![Finding {
            id: "reached".into(),
            status: Status::Violated,
            blocks: Blocks::Pass,
            detail: "nothing was reached".into(),
            criteria: Vec::new(),
            detectable: None,
        }];
        assert_eq!(fell(&current), (false, true));
    }
}
