//! The verdict: what was audited and when, the sentence, what decided it, and what to do next.

use judge::gate::Rule;
use judge::verdict::Decision;
use maud::{Markup, html};

use super::figures;
use crate::blocks::html::html as rendered;
use crate::blocks::{Block, Cell, Part};
use crate::caveats;
use crate::composed::{NEXT, judged, next_steps, verdict};
use crate::document::Report;
use crate::figures::{Figure, narrow_gate};
use crate::labels_alone::labels_alone;
use crate::markup::{outside, text};
use crate::subject;

/// The first thing that people see.
pub fn part(report: &Report, drawn: &[Figure]) -> Markup {
    let beside = |figure: &&Figure| figures::place(figure.section).is_none();
    html! {
        section id="verdict" class={ "verdict " (report.verdict.outcome.word()) } tabindex="-1" {
            p class="kind" {
                "Membership audit of " (outside(&subject::named(report)))
                @if let Some(date) = &report.provenance.date { ", " time datetime=(text(date)) { (text(date)) } }
            }
            (rendered(&[Block::Verdict(verdict(report)), Block::Facts(facts(report))]))
            p class="judged" { (text(&sentence(&judged(report)))) }
            @if let Some(alone) = labels_alone(report) { p class="judged" { (text(&sentence(&alone))) } }
            @if let Some(steps) = next_steps(report) { h2 { (NEXT) } (rendered(&[steps])) }
            @for figure in drawn.iter().filter(beside) { (shown(report, figure)) }
        }
        "\n"
    }
}

/// A figure beside the verdict; the gate's is drawn anew for narrow screens.
fn shown(report: &Report, figure: &Figure) -> Markup {
    let heading = html! { h2 { (text(&figure.title)) } };
    match narrow_gate(report).filter(|_| figure.id == "gate") {
        Some(narrow) => figures::in_two_widths(figure, &narrow, &heading),
        None => figures::figure(figure, &heading),
    }
}

/// How well the model does its work, and what the gate looked at.
fn facts(report: &Report) -> Vec<(String, Cell)> {
    let mut facts = Vec::new();
    if let Some(found) = caveats::counted(report) {
        facts.push(("It passes with".to_owned(), found.into()));
    }
    if let Some(accuracy) = subject::accuracy(report) {
        facts.push(("Training accuracy".to_owned(), share(accuracy.training)));
        facts.push(("Test accuracy".to_owned(), share(accuracy.test)));
    }
    if let Some(gate) = &report.verdict.gate {
        facts.extend(decision(gate));
    }
    facts
}

fn share(share: f64) -> Cell {
    Cell::number(share, format!("{:.1}%", 100.0 * share))
}

fn decision(gate: &Decision) -> [(String, Cell); 6] {
    let decimal = |value: f64| Part::number(value, format!("{value:.4}"));
    let chosen = match gate.holdout {
        true => "on other records than it is judged on".to_owned(),
        false => format!(
            "as the best of {} on the same records; the interval allows for that",
            gate.tried
        ),
    };
    let level = Part::number(gate.confidence, format!("{:.2}%", 100.0 * gate.confidence));
    let words = |words: &str| Part::Words(words.to_owned());
    let interval = Cell {
        parts: vec![
            decimal(gate.low),
            words(" to "),
            decimal(gate.high),
            words(" ("),
            level,
            words(")"),
        ],
        below: Vec::new(),
    };
    [
        ("Deciding attack".into(), gate.attack.as_str().into()),
        (gate.measure.to_string(), decimal(gate.value).into()),
        ("Interval".into(), interval),
        (
            "Threshold".into(),
            Cell::number(gate.threshold, gate.threshold.to_string()),
        ),
        ("Rule".into(), rule(gate.rule).into()),
        ("Chosen".into(), chosen.into()),
    ]
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
