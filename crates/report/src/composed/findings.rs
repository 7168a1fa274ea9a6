//! What guardrails found, what could not run and what else is to be known, as findings.

use judge::guardrails::Status;

use crate::blocks::{Finding, Weight};
use crate::document::Report;

/// Of the guardrails, those of some weights, in the order of the weights.
pub fn guardrails(report: &Report, weights: &[Status]) -> Vec<Finding> {
    let with = |status: &Status| {
        let found = report.guardrails.iter();
        let status = *status;
        found.filter(move |finding| finding.status == status)
    };
    let found = weights.iter().flat_map(with);
    found
        .map(|finding| Finding {
            weight: finding.status.into(),
            name: finding.id.clone(),
            words: finding.detail.clone(),
        })
        .collect()
}

/// Attacks that could not run, those with one reason together.
pub fn skipped(report: &Report) -> Vec<Finding> {
    let skipped = report.skipped_by_reason().into_iter();
    skipped
        .map(|(ids, reason)| Finding {
            weight: Weight::Skipped,
            name: ids,
            words: reason.to_owned(),
        })
        .collect()
}

pub fn notes(report: &Report) -> Vec<Finding> {
    let notes = report.notes.iter();
    notes
        .map(|note| Finding {
            weight: Weight::Note,
            name: String::new(),
            words: note.clone(),
        })
        .collect()
}
