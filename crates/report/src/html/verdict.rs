//! The verdict: a sign with words, what decided it, and what was audited.

use judge::gate::Rule;
use judge::verdict::Decision;
use maud::{Markup, html};

use super::figures;
use crate::document::Report;
use crate::figures::Figure;
use crate::markup::{count, decimal, number, outside, percent, text};
use crate::terminal::{judged, outcome};

/// The first thing that people see.
pub fn part(report: &Report, drawn: &[Figure]) -> Markup {
    let verdict = &report.verdict;
    let (sign, meaning) = outcome(verdict.outcome);
    let beside = |figure: &&Figure| figures::place(figure.section).is_none();
    html! {
        section id="verdict" class={ "verdict " (verdict.outcome.word()) } tabindex="-1" {
            p class="kind" { "Membership audit of " (text(&report.kind().to_string())) }
            h1 { span class="sign" { (sign) } " " span class="meaning" { (meaning) } }
            @if verdict.forced { p class="forced" { "Forced past a violated guardrail." } }
            ul class="reasons" { @for reason in &verdict.reasons { li { (outside(reason)) } } }
            @if let Some(gate) = &verdict.gate { (decision(gate)) }
            p class="judged" { (sentence(&judged(report))) }
            @for figure in drawn.iter().filter(beside) {
                (figures::figure(figure, &html! { h2 { (text(&figure.title)) } }))
            }
        }
        "\n"
    }
}

/// What the gate looked at.
fn decision(gate: &Decision) -> Markup {
    let chosen = html! {
        @if gate.holdout {
            "on other records than it is judged on"
        } @else {
            "as the best of " (count(gate.tried as u64))
            " on the same records; the interval allows for that"
        }
    };
    let interval = html! {
        (decimal(gate.low, 4)) " to " (decimal(gate.high, 4)) " (" (percent(gate.confidence, 2)) ")"
    };
    html! {
        dl class="facts" {
            (fact("Deciding attack", &text(&gate.attack)))
            (fact(&gate.measure.to_string(), &decimal(gate.value, 4)))
            (fact("Interval", &interval))
            (fact("Threshold", &number(gate.threshold, &gate.threshold.to_string())))
            (fact("Rule", &text(rule(gate.rule))))
            (fact("Chosen", &chosen))
        }
    }
}

/// A name and what stands behind it.
fn fact(name: &str, value: &Markup) -> Markup {
    html! { div { dt { (text(name)) } dd { (value) } } }
}

fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Point => "fails when the value is at or above the threshold",
        Rule::Conservative => "passes only when the whole interval lies below the threshold",
        Rule::Proven => "fails only when the whole interval lies at or above the threshold",
    }
}

/// With a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first: String = letters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}
