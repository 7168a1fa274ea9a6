//! How often did the service not answer, and does that tell members apart?

use super::{Evidence, Status, percent, tells};
use crate::AttackMeasures;
use crate::gate::Measure;
use crate::measure::Auc;

const MANY: f64 = 0.2;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.probes?;
    let kinds = &facts.kinds;
    let all: [usize; 2] = [0, 1].map(|kind| kinds.values().map(|counts| counts[kind]).sum());
    let would_not = |kind: usize| -> usize {
        let kept = ["refusal", "guardrail", "empty"];
        kept.iter()
            .filter_map(|name| kinds.get(*name))
            .map(|counts| counts[kind])
            .sum()
    };
    let (members, nonmembers) = (would_not(0), would_not(1));
    let total = (all[0] + all[1]) as f64;
    if total == 0.0 {
        return None;
    }
    let share = |part: usize, whole: usize| part as f64 / (whole as f64).max(1.0);
    let found = format!(
        "refused, blocked or empty: {} of the answers about members, {} about non-members",
        percent(share(members, all[0]), 1.0),
        percent(share(nonmembers, all[1]), 1.0)
    );
    let silence = facts.silence_tells.as_ref().and_then(tells);
    if let Some(auc) = silence.filter(|_| would_pass(evidence)) {
        return Some(telling(evidence, &found, &auc));
    }
    if (members + nonmembers) as f64 > MANY * total {
        let detail = format!(
            "{found}: what is not answered cannot leak, but an attacker may find words that are \
             not refused; say in the release note that a pass rests on refusals"
        );
        return Some((Status::Warn, detail));
    }
    Some((Status::Ok, found))
}

/// Where attacks find a leak, they say so themselves.
fn would_pass(evidence: &Evidence) -> bool {
    let gate = evidence.gate;
    let fails = |attack: &AttackMeasures| attack.auc.value >= gate.threshold;
    gate.measure != Measure::Auc || !evidence.gated_attack().is_some_and(fails)
}

/// Whichever way it points, an attacker who sees the answers may use it.
fn telling(evidence: &Evidence, found: &str, auc: &Auc) -> (Status, String) {
    let detail = format!(
        "{found}: how often nothing is said, “I don't know” included, tells members from non-members by \
         itself (AUC {:.3}, {:.3} to {:.3}, 99% interval); see what refusals finds, and answer alike \
         whether or not the store holds a document",
        auc.value, auc.low, auc.high
    );
    let gate = evidence.gate;
    let strong = auc.value.max(1.0 - auc.value) >= gate.threshold;
    match gate.measure == Measure::Auc && strong {
        true => (Status::Violated, detail),
        false => (Status::Warn, detail),
    }
}
