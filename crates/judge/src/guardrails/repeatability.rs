//! Does the service say the same when it is asked the same? And does what it says then tell members apart?

use super::{Evidence, Status, percent};

const MUCH: f64 = 0.2;
/// How rarely chance may show as much before second answers count as telling.
const LEVEL: f64 = 0.01;

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
    if let Some(tells) = repeats.tells.as_ref().filter(|tells| tells.p <= LEVEL) {
        let detail = format!(
            "{found}, and a second answer tells members from non-members by {} (AUC {:.3}, p = {:.2}%): attacks read \
             first answers, and whoever asks twice learns more: have the service answer a repeated question as it \
             answered the first",
            tells.what,
            tells.auc,
            100.0 * tells.p
        );
        return Some((Status::Violated, detail));
    }
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
