//! Are non-members about the same topics as members?

use super::{Evidence, Status};

const CHANCE: f64 = 0.01;
const FAR: f64 = 0.5;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let topics = evidence.probes?.topics.as_ref()?;
    let (widest, members, nonmembers) = &topics.widest;
    let found = format!(
        "{} topics of {} documents, distance between members and non-members {:.2} (p = {:.3})",
        topics.topics, topics.documents, topics.distance, topics.p_value
    );
    if topics.p_value >= CHANCE {
        return Some((Status::Ok, found));
    }
    let detail = format!(
        "{found}; widest apart is {widest:?} with {:.0}% of members and {:.0}% of non-members: take \
         non-members on the same topics",
        100.0 * members,
        100.0 * nonmembers
    );
    Some((
        if topics.distance > FAR {
            Status::Violated
        } else {
            Status::Warn
        },
        detail,
    ))
}
