//! Do the sources that the service shows agree with who is said to be a member?

use super::{Evidence, Status};

/// A store that never shows a member may not hold them; one that shows non-members does.
const SEEN: f64 = 0.5;
const STRAY: f64 = 0.02;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let hits = evidence.probes?.hits.as_ref()?;
    let found = format!(
        "seen among the sources of answers: {} of {} members, {} of {} non-members",
        hits.members_seen, hits.members, hits.nonmembers_seen, hits.nonmembers
    );
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    if hits.nonmembers_seen > 0 {
        let example = hits.example.as_deref().unwrap_or_default();
        let detail = format!(
            "{found}: the store holds non-members such as {example:?}, or copies of them; take them \
             out of the non-members, or out of the store"
        );
        let stray = share(hits.nonmembers_seen, hits.nonmembers) > STRAY;
        return Some((
            if stray {
                Status::Violated
            } else {
                Status::Warn
            },
            detail,
        ));
    }
    if hits.members_seen == 0 {
        let detail = format!(
            "{found}: no member was ever retrieved, so nothing was tested; check that the store \
             holds the members, and target.extract.citations and retrieved"
        );
        return Some((Status::Violated, detail));
    }
    if share(hits.members_seen, hits.members) < SEEN {
        let detail = format!(
            "{found}: most questions do not reach their document; a pass says little about the rest"
        );
        return Some((Status::Warn, detail));
    }
    Some((Status::Ok, found))
}
