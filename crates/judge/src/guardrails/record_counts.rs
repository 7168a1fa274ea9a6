//! Does the number of a person's records alone tell members from non-members?
//!
//! Joined scores grow with the number of records, so that sets of people who differ in that number
//! differ without any model.

use super::{Evidence, Status, tells};

/// As for the blind baseline of texts.
const VOID: f64 = 0.6;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let persons = evidence.persons?;
    let count = persons.count_auc.as_ref()?;
    let found = format!(
        "the number of a person's records alone tells members from non-members with AUC {:.3} ({:.3} to \
         {:.3})",
        count.value, count.low, count.high
    );
    if tells(count).is_none() {
        return Some((Status::Ok, found));
    }
    let remedy = "draw the people of both sets at random from one pool, or join by mean";
    let void = count.low >= VOID || count.high <= 1.0 - VOID;
    // What records show by themselves is not made of counts.
    let by_record = evidence.gated_attack().is_some_and(|attack| {
        let reading = evidence.gate.measure.read(attack, evidence.gate.confidence);
        reading.is_some_and(|reading| evidence.gate.fails(&reading))
    });
    Some(match void && !by_record {
        true => (
            Status::Violated,
            format!("{found}: by person, attacks may find this and not the training; {remedy}"),
        ),
        false => (
            Status::Warn,
            format!("{found}: part of what is found by person may be this; {remedy}"),
        ),
    })
}
