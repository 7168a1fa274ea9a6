//! Did enough of the questions get an answer?

use super::{Evidence, Status, percent};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.probes?;
    if facts.asked == 0 {
        return None;
    }
    let failed = facts.failures();
    if failed == 0 {
        return Some((
            Status::Ok,
            format!("all {} questions were answered", facts.asked),
        ));
    }
    let why: Vec<String> = facts
        .failed
        .iter()
        .map(|(why, count)| format!("{why} ({count})"))
        .collect();
    let share = failed as f64 / facts.asked as f64;
    let detail = format!(
        "{failed} of {} questions ({}) have no answer: {}; run again to ask them once more, with a larger budget \
         where it was spent",
        facts.asked,
        percent(failed as f64, facts.asked as f64),
        why.join(", ")
    );
    Some(match share {
        share if share > 0.5 => (Status::Violated, detail),
        share if share > 0.02 => (Status::Warn, detail),
        _ => (Status::Ok, detail),
    })
}
