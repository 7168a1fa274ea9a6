//! What could make the audit mean little, in plain words: violated first, then warnings, and what
//! is in order folded away.

use judge::glossary;
use judge::guardrails::{self, Finding, Status};
use maud::{Markup, html};

use crate::document::Report;
use crate::markup::{outside, text};

pub fn part(report: &Report) -> Markup {
    let with = |status| -> Vec<&Finding> {
        let found = report.guardrails.iter();
        found.filter(|finding| finding.status == status).collect()
    };
    let (violated, warned) = (with(Status::Violated), with(Status::Warn));
    let fine = with(Status::Ok);
    html! {
        @if !report.guardrails.is_empty() {
            p { (summary(violated.len(), warned.len())) }
            (list(&violated, "✘ violated", "fail"))
            (list(&warned, "! warning", "inconclusive"))
            @if !fine.is_empty() {
                details class="print-open" {
                    summary { (fine.len()) " in order" }
                    (list(&fine, "✔ in order", "pass"))
                }
            }
        }
    }
}

fn summary(violated: usize, warned: usize) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    match (violated, warned) {
        (0, 0) => "Every guardrail that applies is in order.".into(),
        (0, warned) => format!(
            "No guardrail is violated; {warned} warning{} say{} what to keep in mind.",
            plural(warned),
            if warned == 1 { "s" } else { "" }
        ),
        (violated, _) => format!(
            "{violated} guardrail{} violated: until that is mended, it takes from what the numbers can say.",
            if violated == 1 { " is" } else { "s are" }
        ),
    }
}

fn list(findings: &[&Finding], sign: &str, class: &str) -> Markup {
    html! {
        @if !findings.is_empty() {
            ul class="findings" {
                @for finding in findings { li class=(class) { (one(finding, sign)) } "\n" }
            }
        }
    }
}

/// What was found and what to do, then why that matters.
fn one(finding: &Finding, sign: &str) -> Markup {
    html! {
        p { span class="sign" { (sign) } " " strong { (text(&finding.id)) } }
        p { (outside(&finding.detail)) }
        @if let Some(entry) = glossary::find(&finding.id) { p class="why" { (entry.meaning) } }
        @if let Some(direction) = guardrails::direction(&finding.id) { p class="why" { (direction) "." } }
    }
}
