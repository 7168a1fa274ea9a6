//! Do answers of an earlier day still come from the service that is there now?

use super::{Evidence, Status, tells};
use crate::rag::StoredAnswers;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let stored = evidence.probes?.stored.as_ref()?;
    let (found, again) = (stored.told(), stored.asked_again);
    if stored.reworded > 0 && stored.reworded_on_one_day == 0 {
        let detail = format!(
            "{found}; of {again} that were asked again {} have other words now, though a question that is asked twice \
             on one day gets the same: the service may be another one by now; ask everything anew with --ask-again",
            stored.reworded
        );
        return Some((Status::Violated, detail));
    }
    if stored.replayed {
        let detail = format!(
            "{found}: as asked for, nobody was asked, so that this speaks of the service of that time"
        );
        return Some((Status::Warn, detail));
    }
    if stored.are_seen_again() {
        let detail = format!("{found}; {again} of them were asked again and are alike");
        return Some((Status::Ok, detail));
    }
    Some((Status::Violated, set_apart(stored, &found)?))
}

/// Where one kind was asked then and the other now, nothing but a change of the service may set them apart.
fn set_apart(stored: &StoredAnswers, found: &str) -> Option<String> {
    let auc = tells(stored.stored_tells.as_ref()?)?;
    let more = if auc.value > 0.5 { "more" } else { "fewer" };
    Some(format!(
        "{found}, of {more} members than non-members (AUC {:.3}, {:.3} to {:.3}, 99% interval), and too few were asked \
         again: a service that has changed since would look like a leak; raise transport.max_requests or set \
         probes.recheck = 16 and run again, or ask everything anew with --ask-again",
        auc.value, auc.low, auc.high
    ))
}
