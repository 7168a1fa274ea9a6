//! Was every canary scored?
//!
//! A canary without a score is a guess that nobody made: bounds pay for it, and what it would have shown
//! is not seen.

use super::{Evidence, Status, percent};

/// More of them could hide a leak that the others do not show.
const MOST: f64 = 0.05;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.canaries.as_ref()?;
    // A row without a score is no score either.
    let empty = evidence.gated_attack().map_or(0, |attack| attack.abstained);
    let unscored = facts.missing + empty;
    if unscored == 0 {
        return Some((
            Status::Ok,
            format!("all {} canaries were scored", facts.canaries),
        ));
    }
    let share = unscored as f64 / facts.canaries.max(1) as f64;
    let detail = format!(
        "{} of {} canaries ({}) have no row or no score in what was audited: they count as guesses that were not made, \
         and what they would have shown is not seen; score all of canaries.jsonl",
        unscored,
        facts.canaries,
        percent(unscored as f64, facts.canaries as f64)
    );
    let status = match share > MOST {
        true => Status::Violated,
        false => Status::Warn,
    };
    Some((status, detail))
}
