//! Were answers of an earlier day asked again, so that a change of the service could show?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let stored = evidence.probes?.stored.as_ref()?;
    if stored.replayed || stored.are_seen_again() {
        return None;
    }
    let count = match stored.asked_again {
        0 => "none".to_owned(),
        few => format!("only {few}"),
    };
    let detail = format!(
        "{}, and {count} could be asked again (the budget is spent, or probes.recheck is 0): the service may be another \
         one by now and give away more; raise transport.max_requests or set probes.recheck = 16 and run again, or \
         judge the service of that time with --replay",
        stored.told()
    );
    Some((Status::Violated, detail))
}
