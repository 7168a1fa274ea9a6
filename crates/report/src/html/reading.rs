//! How to read the page, in words for the kind of target at hand.

use judge::glossary;
use judge::verdict::Outcome;
use maud::{Markup, html};

use crate::document::Report;

pub fn part(report: &Report) -> Markup {
    let kind = report.detail.particulars();
    html! {
        p { (kind.question()) }
        p { (next_step(report.verdict.outcome)) }
        ul { @for line in kind.hints() { li { (line) } } }
        (glossary_list(kind.glossary()))
    }
}

/// Words of the page, explained.
fn glossary_list(ids: &[&str]) -> Markup {
    html! {
        details class="words" {
            summary { "What the words mean" }
            dl {
                @for entry in ids.iter().filter_map(|id| glossary::find(id)) {
                    dt { (entry.id) }
                    dd { (entry.meaning) }
                }
            }
        }
        "\n"
    }
}

fn next_step(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => {
            "Pass means that no attack tried here did better than the threshold allows. It is no proof \
             that nothing leaks: other attacks, more records or more shadows may find more. Read the \
             guardrails, and TPR at low false-positive rates, before you rely on it."
        }
        Outcome::Fail => {
            "Fail means that an attacker could tell members from others better than the threshold \
             allows. Look at who is exposed, and at the guardrails: a leak that a blind baseline finds \
             too comes from how the records were chosen, not from the model."
        }
        Outcome::Inconclusive => {
            "Inconclusive means that these numbers, high or low, should not be acted on. The violated \
             guardrail below says what is wrong and what to change before auditing again."
        }
    }
}
