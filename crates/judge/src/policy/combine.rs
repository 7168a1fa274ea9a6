//! From the verdicts of all criteria to that of the audit.

use crate::verdict::{Decision, Outcome, Verdict};

/// Fails where one fails; passes where every one passes; decides nothing otherwise. The deciding
/// criterion is the first that is violated, else the first that could not be decided, else the one
/// that came nearest to its threshold.
pub fn combine(verdicts: &[Verdict]) -> Verdict {
    let any = |outcome: Outcome| verdicts.iter().any(|verdict| verdict.outcome == outcome);
    let outcome = match (any(Outcome::Fail), any(Outcome::Inconclusive)) {
        (true, _) => Outcome::Fail,
        (false, true) => Outcome::Inconclusive,
        // Where nothing was asked, nothing was decided.
        (false, false) if verdicts.is_empty() => Outcome::Inconclusive,
        (false, false) => Outcome::Pass,
    };
    let order = [Outcome::Fail, Outcome::Inconclusive, Outcome::Pass];
    let of = |outcome| verdicts.iter().filter(move |one| one.outcome == outcome);
    let worst_first: Vec<&Verdict> = order.into_iter().flat_map(of).collect();
    let mut reasons: Vec<String> = Vec::new();
    for reason in worst_first.iter().flat_map(|verdict| &verdict.reasons) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    let deciding = worst_first.iter().filter(|one| one.outcome == outcome);
    let mut gates = deciding.filter_map(|one| one.gate.as_ref());
    let gate = match outcome {
        Outcome::Pass => gates.reduce(|a, b| if near(b) > near(a) { b } else { a }),
        _ => gates.next(),
    };
    // Where nothing that decides was measured, what else was is shown.
    let gate = gate.or(worst_first.iter().find_map(|one| one.gate.as_ref()));
    let shown = worst_first.iter().find(|one| one.gate.as_ref() == gate);
    Verdict {
        outcome,
        reasons,
        detectable: shown.and_then(|one| one.detectable),
        gate: gate.cloned(),
        forced: worst_first
            .iter()
            .any(|one| one.forced && one.outcome == outcome),
        attacker: None,
    }
}

/// How near a value came to its threshold, which is one.
fn near(decision: &Decision) -> f64 {
    match decision.threshold > 0.0 {
        true => decision.value / decision.threshold,
        false => f64::INFINITY,
    }
}
