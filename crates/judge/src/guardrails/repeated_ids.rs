//! Do several records have one id, though nobody said whose they are?
//!
//! A record that stands among the members and among the others under one name is a copy that the model knows, and
//! as a non-member it hides what a member gives away.

use super::{Evidence, Status, percent};

/// Beyond this share of the records, ids on both sides hide what a gate asks about, as copies do.
const MOST_DIVIDED: f64 = super::duplicates::MOST_DIVIDED;

/// What ids tell of who is the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RepeatedIds {
    /// Records that have the id of an earlier one.
    pub again: usize,
    /// Records whose id is that of a member and of a non-member.
    pub divided: usize,
}

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let RepeatedIds { again, divided } = evidence.repeated_ids;
    if again == 0 || evidence.persons.is_some() {
        return None;
    }
    let records = (evidence.members + evidence.nonmembers).max(again);
    let share = |part: usize| percent(part as f64, records as f64);
    if divided == 0 {
        let detail = format!(
            "{again} records ({}) have the id of an earlier one: they may be one person's, and then \
             intervals are too narrow and what a person's records show together is not looked at; name the \
             person with --group (the column id itself with --group id), or give every record an id of its own",
            share(again)
        );
        return Some((Status::Warn, detail));
    }
    let detail = format!(
        "{divided} records ({}) have an id that members and non-members share: where that is the same record or \
         person, the model knows such non-members, and a leak looks smaller than it is; keep one of each, name \
         the person with --group (the column id itself with --group id), or, where the two sets are numbered \
         apart, give every record an id of its own",
        share(divided)
    );
    // Texts are compared word by word: `near-duplicates` says which of them are copies.
    let compared = evidence
        .texts
        .is_some_and(|texts| texts.duplicates.is_some());
    let status = match divided as f64 > MOST_DIVIDED * records as f64 && !compared {
        true => Status::Violated,
        false => Status::Warn,
    };
    Some((status, detail))
}
