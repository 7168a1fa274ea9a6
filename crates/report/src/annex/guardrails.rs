//! Every check of the test itself, what it found, and what it guards against.

use judge::guardrails::{self, Finding, Status};

use super::Material;
use crate::blocks::{Block, Table, cells};

pub fn blocks(material: &Material<'_>) -> Vec<Block> {
    let report = material.report;
    if report.guardrails.is_empty() {
        return vec![Block::Remark("The report has no guardrails.".to_owned())];
    }
    let with = |status: Status| {
        let all = report.guardrails.iter();
        all.filter(move |one| one.status == status)
    };
    let found = with(Status::Violated)
        .chain(with(Status::Warn))
        .chain(with(Status::Ok));
    let heads = [
        "guardrail",
        "result",
        "what was found",
        "what could go wrong if it were violated",
    ];
    let rows = found.map(|one| cells(&row(one))).collect();
    vec![
        Block::Remark(INTRODUCTION.to_owned()),
        Block::Remark(format!(
            "{} violated, {} with a warning, {} in order.",
            with(Status::Violated).count(),
            with(Status::Warn).count(),
            with(Status::Ok).count()
        )),
        Block::Table(Table::new("Guardrails", &heads, rows)),
    ]
}

const INTRODUCTION: &str = "Guardrails ask whether the numbers can be believed. Where \
    one is violated that could have hidden a leak, a pass becomes inconclusive; where one is violated that could have \
    made a leak appear, a fail does. A warning changes no outcome and should be read. A check that is in order says \
    something about the test, nothing about the model. Names in the first column are the tool's own; “guestlist \
    explain NAME” says more.";

fn row(one: &Finding) -> [String; 4] {
    let result = match one.status {
        Status::Violated => "✘ violated",
        Status::Warn => "warning",
        Status::Ok => "✔ in order",
    };
    let against = guardrails::direction(&one.id).unwrap_or_default();
    [
        one.id.clone(),
        result.to_owned(),
        one.detail.clone(),
        reason(&against).to_owned(),
    ]
}

/// Which verdict a guardrail takes is said once, over the table; behind it, in brackets, stands why.
fn reason(direction: &str) -> &str {
    let inside = direction
        .split_once(" (")
        .and_then(|(_, why)| why.strip_suffix(')'));
    inside.unwrap_or(direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_guardrail_guards_against_is_told_without_what_all_have_in_common() {
        let told = guardrails::direction("tied-scores").unwrap();
        let why = reason(&told);
        assert!(why.starts_with("records that share a score"), "{why}");
        assert!(!why.ends_with(')'), "{why}");
    }
}
