//! What could make the audit mean little, in plain words: violated first, then warnings, and what
//! is in order folded away.

use judge::glossary;
use judge::guardrails::{self, Finding, Status};

use super::writer::Html;
use crate::document::Report;

pub fn write(html: &mut Html, report: &Report) {
    if report.guardrails.is_empty() {
        return;
    }
    let with = |status| -> Vec<&Finding> {
        let found = report.guardrails.iter();
        found.filter(|finding| finding.status == status).collect()
    };
    let (violated, warned) = (with(Status::Violated), with(Status::Warn));
    html.line("p", &[], &summary(violated.len(), warned.len()));
    list(html, &violated, "✘ violated", "fail");
    list(html, &warned, "! warning", "inconclusive");
    let fine = with(Status::Ok);
    if !fine.is_empty() {
        html.tag("details", &[("class", "print-open")], |html| {
            html.line("summary", &[], &format!("{} in order", fine.len()));
            list(html, &fine, "✔ in order", "pass");
        });
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

fn list(html: &mut Html, findings: &[&Finding], sign: &str, class: &str) {
    if findings.is_empty() {
        return;
    }
    html.tag("ul", &[("class", "findings")], |html| {
        for finding in findings {
            html.tag("li", &[("class", class)], |html| one(html, finding, sign));
        }
    });
}

/// What was found and what to do, then why that matters.
fn one(html: &mut Html, finding: &Finding, sign: &str) {
    html.tag("p", &[], |html| {
        html.line("span", &[("class", "sign")], sign);
        html.text(" ");
        html.line("strong", &[], &finding.id);
    });
    html.tag("p", &[], |html| html.outside(&finding.detail));
    if let Some(entry) = glossary::find(&finding.id) {
        html.line("p", &[("class", "why")], entry.meaning);
    }
    if let Some(direction) = guardrails::direction(&finding.id) {
        html.line("p", &[("class", "why")], &format!("{direction}."));
    }
}
