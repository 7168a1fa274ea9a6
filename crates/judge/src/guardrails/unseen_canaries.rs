//! Could training see the canaries?
//!
//! A canary that was cut off, masked or dropped before training was never learnt, and an audit of such
//! canaries passes for the wrong reason. `guestlist canaries check` looks for that before training and
//! notes it in the manifest. The same holds where the training file was changed after the draw: what is
//! in it is no longer what the coins chose.

use super::{CanaryFacts, Evidence, Status, percent};
use crate::canaries::{TrainingFile, Visibility};

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.canaries.as_ref()?;
    let (status, found) = visibility(facts);
    let TrainingFile::Changed { file } = &facts.draw.training else {
        return Some((status, found));
    };
    let changed = format!(
        "{file} was changed since it was drawn: whether the canaries that the coins chose are still in it, \
         and no others, is not known; restore it, or draw again and train again"
    );
    let detail = match status {
        Status::Ok => changed,
        _ => format!("{changed}; {found}"),
    };
    Some((Status::Violated, detail))
}

/// What the check before training found.
fn visibility(facts: &CanaryFacts) -> (Status, String) {
    match &facts.draw.visibility {
        Visibility::Visible => (
            Status::Ok,
            "the check before training found every canary where training sees it".into(),
        ),
        Visibility::Unknown => (
            Status::Warn,
            "nobody looked whether training would see the canaries: run `guestlist canaries check` with the \
             tokenizer and settings of the training"
                .into(),
        ),
        Visibility::Invisible { canaries, traps } => (
            Status::Violated,
            format!(
                "{canaries} of {} canaries ({}) are invisible to training by the check before it ({}): what \
                 was not learnt cannot be found; mend the settings and train again",
                facts.canaries,
                percent(*canaries as f64, facts.canaries as f64),
                traps.join(", ")
            ),
        ),
    }
}
