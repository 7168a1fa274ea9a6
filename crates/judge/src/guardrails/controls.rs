//! Were documents with invented facts found again?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let controls = evidence.probes?.controls?;
    let found = format!(
        "{} of {} controls were found again",
        controls.found, controls.documents
    );
    if controls.are_found() && !controls.are_kept() {
        let detail = format!(
            "{found} at first, but {} of {} questions that had found theirs did not find it when they were asked \
             once more later: the service or its store changed while it was asked, and what came then shows \
             nothing; see to it, and ask anew with --ask-again",
            controls.lost_later, controls.asked_later
        );
        return Some((Status::Violated, detail));
    }
    if controls.are_found() {
        return Some((Status::Ok, found));
    }
    let unanswered = match controls.unanswered {
        0 => String::new(),
        count => format!(" ({count} got no answer at all)"),
    };
    let detail = format!(
        "{found}{unanswered}, and at least half must be, else nothing shows that questions reach the store: \
         index the documents of documents.controls in the audited store, or look with `guestlist probe` \
         whether the target answers from it"
    );
    Some((Status::Violated, detail))
}
