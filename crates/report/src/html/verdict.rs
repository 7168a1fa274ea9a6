//! The verdict: a sign with words, what decided it, and what was audited.

use judge::gate::Rule;
use judge::verdict::Decision;

use super::figures;
use super::writer::Html;
use crate::document::Report;
use crate::figures::Figure;
use crate::terminal::{judged, outcome};

/// The first thing that people see.
pub fn write(html: &mut Html, report: &Report, drawn: &[Figure]) {
    let verdict = &report.verdict;
    let class = format!("verdict {}", verdict.outcome.word());
    html.tag(
        "section",
        &[("id", "verdict"), ("class", &class), ("tabindex", "-1")],
        |html| {
            let (sign, meaning) = outcome(verdict.outcome);
            html.line(
                "p",
                &[("class", "kind")],
                &format!("Membership audit of {}", report.kind()),
            );
            html.tag("h1", &[], |html| {
                html.line("span", &[("class", "sign")], sign);
                html.text(" ");
                html.line("span", &[("class", "meaning")], meaning);
            });
            if verdict.forced {
                html.line(
                    "p",
                    &[("class", "forced")],
                    "Forced past a violated guardrail.",
                );
            }
            html.tag("ul", &[("class", "reasons")], |html| {
                for reason in &verdict.reasons {
                    html.tag("li", &[], |html| html.outside(reason));
                }
            });
            if let Some(gate) = &verdict.gate {
                decision(html, gate);
            }
            html.line("p", &[("class", "judged")], &sentence(&judged(report)));
            let beside = |figure: &&Figure| figures::place(figure.section).is_none();
            for figure in drawn.iter().filter(beside) {
                figures::write(html, figure, "h2");
            }
        },
    );
}

/// What the gate looked at.
fn decision(html: &mut Html, gate: &Decision) {
    html.tag("dl", &[("class", "facts")], |html| {
        fact(html, "Deciding attack", |html| html.text(&gate.attack));
        fact(html, &gate.measure.to_string(), |html| {
            html.decimal(gate.value, 4)
        });
        fact(html, "Interval", |html| {
            html.decimal(gate.low, 4);
            html.text(" to ");
            html.decimal(gate.high, 4);
            html.text(" (");
            html.percent(gate.confidence, 2);
            html.text(")");
        });
        fact(html, "Threshold", |html| {
            html.number(gate.threshold, &gate.threshold.to_string())
        });
        fact(html, "Rule", |html| html.text(rule(gate.rule)));
        fact(html, "Chosen", |html| match gate.holdout {
            true => html.text("on other records than it is judged on"),
            false => {
                html.text("as the best of ");
                html.count(gate.tried as u64);
                html.text(" on the same records; the interval allows for that");
            }
        });
    });
}

/// A name and what stands behind it.
fn fact(html: &mut Html, name: &str, value: impl FnOnce(&mut Html)) {
    html.tag("div", &[], |html| {
        html.line("dt", &[], name);
        html.tag("dd", &[], value);
    });
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
