//! Does an attack tell members apart the wrong way round?
//!
//! A score significantly below one half separates members from non-members as well as one above:
//! whoever turns it round has an attack. So it never goes with a pass.

use super::{Evidence, Status, significantly_below};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let below = significantly_below(evidence);
    // Most of them below: then the truth is the suspect, and `inverted-labels` speaks.
    if below.is_empty() || below.len() * 2 > evidence.attacks.len() {
        return None;
    }
    let named: Vec<String> = below
        .iter()
        .map(|attack| format!("{} ({:.3})", attack.id, attack.auc.value))
        .collect();
    let detail = format!(
        "significantly below one half: {}; turned round, the same scores tell members apart, so that \
         this is a leak whose sign was not known, or the truth is wrong for a part of the records; \
         look at what these attacks assume, and at who is a member",
        named.join(", ")
    );
    Some((Status::Violated, detail))
}
