//! Is the attacker one whom the policy accepts?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let policy = evidence.policy?;
    let accepted: Vec<&str> = policy.attackers.iter().map(|one| one.name()).collect();
    let wanted = format!("the policy accepts the attacker {}", accepted.join(" or "));
    // Nobody has attacked yet.
    if evidence.attacks.is_empty() {
        return None;
    }
    let Some(attacker) = evidence.attacker else {
        let detail = format!("{wanted}, but who attacked is not known; audit again");
        return Some((Status::Violated, detail));
    };
    if policy.accepts(attacker) {
        return Some((Status::Ok, wanted));
    }
    let remedy = match &attacker.stronger {
        Some(stronger) => format!("a stronger one {stronger}"),
        None => "name the weaker attacker with --attacker, or let the policy accept the strongest"
            .into(),
    };
    let detail = format!("{wanted}, but the one here {}; {remedy}", attacker.who);
    Some((Status::Violated, detail))
}
