//! Could training see the canaries?
//!
//! A canary that was cut off, masked or dropped before training was never learnt, and an audit of such
//! canaries passes for the wrong reason: scores of a model that never met them look as those of a model
//! that forgot them. `guestlist canaries check` looks for that on the tokenizer and settings of the training,
//! and `guestlist.collect.Canaries` in the batches of a Trainer; both note it in the manifest, and where nobody
//! looked nothing passes. Records of a classifier are not cut into anything: for them the training file
//! itself is what there is to look at, which the audit does. The same holds where the training file was
//! changed after the draw: what is in it is no longer what the coins chose.

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

/// What a check before training found.
fn visibility(facts: &CanaryFacts) -> (Status, String) {
    match &facts.draw.visibility {
        Visibility::Visible => (
            Status::Ok,
            "the check before training found every canary where training sees it".into(),
        ),
        Visibility::AsDrawn => (
            Status::Ok,
            "the training file beside the manifest is as it was drawn, and records are trained on as they \
             stand in it"
                .into(),
        ),
        Visibility::Unknown => (
            Status::Violated,
            "nobody looked whether training could see the canaries, and what was never seen is not found \
             either: run `guestlist canaries check` with the tokenizer and settings of the training, or train \
             with guestlist.collect.Canaries, which looks at the batches"
                .into(),
        ),
        Visibility::NotThere => (
            Status::Violated,
            "the training file does not lie beside the manifest, so that nobody can tell whether it had the \
             canaries: keep it there as it was drawn, or run `guestlist canaries check` where it lies and \
             audit with that manifest"
                .into(),
        ),
        Visibility::Invisible { canaries, traps } => (
            Status::Violated,
            format!(
                "{} invisible to training by the check before it ({}): what was not learnt cannot be found; \
                 mend the settings and train again",
                struck(*canaries, facts.canaries),
                traps.join(", ")
            ),
        ),
    }
}

fn struck(canaries: Option<usize>, all: usize) -> String {
    match canaries {
        Some(count) => {
            let share = percent(count as f64, all as f64);
            format!("{count} of {all} canaries ({share}) are")
        }
        None => "canaries are".into(),
    }
}
