//! Were signals cut off before they were stored?

use super::{Evidence, Status, percent};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.shadows?;
    if facts.stored_values == 0 {
        return None;
    }
    let share = facts.saturated_values as f64 / facts.stored_values as f64;
    let found = format!(
        "{} of the stored values sit at the largest or smallest value",
        percent(facts.saturated_values as f64, facts.stored_values as f64)
    );
    if share <= 0.01 {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}: the most exposed records became ties, because confidence was rounded or clipped, or \
         because the model votes (a forest, nearest neighbours); store logits, or φ computed from \
         them, where the model has any, else let it vote more finely (more trees, larger leaves)"
    );
    let status = if share > 0.5 {
        Status::Violated
    } else {
        Status::Warn
    };
    Some((status, detail))
}
