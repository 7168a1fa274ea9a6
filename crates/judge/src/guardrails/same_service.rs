//! Do answers of an earlier day still come from the service that is there now?

use super::{Evidence, Status};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let stored = evidence.probes?.stored.as_ref()?;
    let found = format!(
        "{} answers are from the store, the oldest of {}",
        stored.reused, stored.since
    );
    Some(match (stored.asked_again, stored.replayed) {
        (1.., _) if stored.reworded > 0 && stored.reworded_on_one_day == 0 => {
            let detail = format!(
                "{found}; of {} that were asked again {} have other words now, though a question that is asked twice \
                 on one day gets the same: the service may be another one by now; ask everything anew with --ask-again",
                stored.asked_again, stored.reworded
            );
            (Status::Violated, detail)
        }
        (1.., _) => {
            let again = stored.asked_again;
            (
                Status::Ok,
                format!("{found}; {again} of them were asked again and are alike"),
            )
        }
        (0, true) => {
            let detail = format!(
                "{found}: as asked for, nobody was asked, so that this speaks of the service of that time"
            );
            (Status::Warn, detail)
        }
        (0, false) => {
            let detail = format!(
                "{found}, and none could be asked again (the budget is spent, or probes.recheck is 0): the \
                 service may be another one by now; raise transport.max_requests or set probes.recheck = 8, \
                 and run again"
            );
            (Status::Violated, detail)
        }
    })
}
