//! How often did the service not answer?

use super::{Evidence, Status, percent};

const MANY: f64 = 0.2;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let kinds = &evidence.probes?.kinds;
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
    let difference = share(members, all[0]) - share(nonmembers, all[1]);
    let error = {
        let pooled = (members + nonmembers) as f64 / total;
        (pooled * (1.0 - pooled) * (1.0 / all[0].max(1) as f64 + 1.0 / all[1].max(1) as f64)).sqrt()
    };
    if difference.abs() > 0.05 && difference.abs() > 4.0 * error {
        let detail = format!("{found}: the refusals themselves tell members from non-members");
        return Some((Status::Warn, detail));
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
