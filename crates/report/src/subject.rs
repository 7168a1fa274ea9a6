//! What was audited, and when, for the first lines of a report.

use crate::classifier::Accuracy;
use crate::detail::Detail;
use crate::document::Report;
use crate::headline::headline;
use crate::labels_alone::labels_alone;
use crate::places::last_part;
use crate::sections::percent;

/// What the sentence's verb means, so that nobody takes it for contents that are given away.
const NAMING: &str = "(names: says rightly of one at hand that it was a member)";

/// What the user calls it, or else what the report knows of it; then when, and how well it does its work.
pub fn subject(report: &Report) -> Vec<String> {
    let mut line = format!("Audit of {}", named(report));
    if let Some(date) = &report.provenance.date {
        line += &format!(", {date}");
    }
    let mut lines = vec![line];
    lines.extend(accuracy(report).map(right));
    lines.extend(labels_alone(report));
    if headline(report).contains(" names ") {
        lines.push(NAMING.to_owned());
    }
    lines
}

/// The kind and the user's words for it; without them the model, the service or the file.
pub fn named(report: &Report) -> String {
    let kind = report.kind();
    let given = report.provenance.subject.clone();
    match given.or_else(|| known(report)) {
        Some(name) => format!("{kind}: {name}"),
        None => kind.to_string(),
    }
}

/// How often the audited classifier is right, where its answers tell.
pub fn accuracy(report: &Report) -> Option<&Accuracy> {
    match &report.detail {
        Detail::Classifier(one) => one.accuracy.as_ref(),
        _ => None,
    }
}

fn right(accuracy: &Accuracy) -> String {
    format!(
        "right on {} of its training records and {} of the others",
        percent(accuracy.training),
        percent(accuracy.test)
    )
}

/// The folder or address of a language model, the address of a service, the file or folder of signals.
fn known(report: &Report) -> Option<String> {
    match &report.detail {
        Detail::Lm(lm) => {
            let models = lm.scoring.as_ref().map(|scoring| &scoring.models);
            let target = models.and_then(|models| models.iter().find(|one| one.role == "target"));
            target.map(|target| target.source.clone())
        }
        Detail::Rag(rag) => rag.service.clone(),
        _ => None,
    }
    .or_else(|| {
        let first = report.read_of_subject().next();
        first.map(|input| input.folder.as_ref().unwrap_or(&input.path).clone())
    })
    .map(|name| last_part(&name))
}
