//! Does the service say the same when it is asked the same?

use super::{Evidence, Status, percent};

const MUCH: f64 = 0.2;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let repeats = evidence.probes?.repeats.as_ref()?;
    if repeats.asked == 0 {
        return None;
    }
    let share = repeats.changed as f64 / repeats.asked as f64;
    let found = format!(
        "{} of {} questions that were asked twice got other words the second time ({})",
        repeats.changed,
        repeats.asked,
        percent(share, 1.0)
    );
    Some(match share > MUCH {
        false => (Status::Ok, found),
        true => {
            let detail = format!(
                "{found}: chance in the answers blurs every score; set the temperature to 0 where \
                 the service allows it, or ask in more variations"
            );
            (Status::Warn, detail)
        }
    })
}
