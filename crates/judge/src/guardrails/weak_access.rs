//! Was the strongest attacker tried that was open to the auditor?

use super::{Evidence, Status};
use crate::attacker::TARGET_ONLY;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let attacker = evidence.attacker?;
    let who = &attacker.who;
    Some(match (&attacker.stronger, attacker.named) {
        (None, _) => (Status::Ok, format!("the attacker is one who {who}")),
        (Some(stronger), true) => {
            let detail = format!(
                "as you chose, the attacker only {who}; a pass says nothing about a stronger one, who \
                 {stronger}"
            );
            (Status::Warn, detail)
        }
        (Some(stronger), false) => {
            let weakness = match attacker.name.as_deref() {
                Some(TARGET_ONLY) => "is the weakest there is",
                _ => "is a weak one",
            };
            let naming = attacker.name.iter().map(|name| {
                format!(
                    ". If this attacker is the only one you mean to be safe from, say so with \
                     --attacker {name}"
                )
            });
            let naming: String = naming.collect();
            let detail = format!(
                "the attacker {who}, and {weakness}; a stronger one, who may find far more, \
                 {stronger}{naming}"
            );
            (Status::Violated, detail)
        }
    })
}
