//! Do several records have one id, though nobody said whose they are?

use super::{Evidence, Status, percent};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let repeated = evidence.repeated_ids;
    if repeated == 0 || evidence.persons.is_some() {
        return None;
    }
    let records = (evidence.members + evidence.nonmembers).max(repeated);
    let detail = format!(
        "{repeated} records ({}) have the id of an earlier one: they may be one person's, and then \
         intervals are too narrow and what a person's records show together is not looked at; name the \
         person with --group (the column id itself with --group id), or give every record an id of its own",
        percent(repeated as f64, records as f64)
    );
    Some((Status::Warn, detail))
}
