//! Could training see the canaries?
//!
//! A canary that was cut off, masked or dropped before training was never learnt, and an audit of such
//! canaries passes for the wrong reason. `guestlist canaries check` looks for that before training and
//! notes it in the manifest.

use super::{Evidence, Status, percent};
use crate::canaries::Visibility;

pub fn check(evidence: &Evidence) -> Option<(Status, String)> {
    let facts = evidence.canaries.as_ref()?;
    Some(match &facts.visibility {
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
    })
}
