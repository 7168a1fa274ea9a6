//! Were answers cut off before their end?

use super::{Evidence, Status, percent};

const SOME: f64 = 0.01;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let cut = evidence.probes?.cut_short.as_ref()?;
    if cut.answers == 0 {
        return None;
    }
    let share = cut.cut_short as f64 / cut.answers as f64;
    let found = format!(
        "{} of {} answers ({}) were cut off at the service's limit of tokens",
        cut.cut_short,
        cut.answers,
        percent(share, 1.0)
    );
    Some(match share > SOME {
        false => (Status::Ok, found),
        true => {
            let detail = format!(
                "{found}: what would have come after shows nowhere; raise the limit (max_tokens or \
                 num_predict) in target.body, and ask anew with --ask-again"
            );
            (Status::Warn, detail)
        }
    })
}
