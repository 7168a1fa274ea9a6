//! A section of a Hugging Face model card: the metadata of evaluation results at its head, then what they mean
//! in Markdown. No record is named in it.

use std::fmt::Write;

use judge::AttackMeasures;
use judge::verdict::Outcome;
use serde_json::Value;

use crate::blocks::markdown::{markdown_table, sign};
use crate::caveats;
use crate::document::Report;
use crate::headline::headline;
use crate::shown_rates::shown_rates;
use crate::subject::named;
use crate::table::rate;
use crate::text::{markdown as escape, printable};

/// How many attacks have a row; the strongest are what counts.
const ATTACKS: usize = 3;
const SOURCE: &str = env!("CARGO_PKG_REPOSITORY");

/// The front matter and the section. The front matter goes to the head of a card that has none, or into the
/// one that it has.
pub fn model_card(report: &Report) -> String {
    let report = &report.clone().without_records().without_places();
    metadata(report) + &section(report)
}

/// YAML whose texts are written as JSON, which YAML reads alike. Numbers that decide nothing are not handed on.
fn metadata(report: &Report) -> String {
    let mut text = "---\ntags:\n- membership-inference-audit\n".to_owned();
    let subject = report.provenance.subject.clone();
    let subject = subject.unwrap_or_else(|| named(report));
    let attacks = shown(report);
    if report.verdict.outcome != Outcome::Inconclusive && !attacks.is_empty() {
        let data = &report.provenance.data;
        let records = format!(
            "{} members and {} others",
            data.judged_members,
            data.judged_records - data.judged_members
        );
        // Writing to a text cannot fail.
        let _ = write!(
            text,
            "model-index:\n- name: {}\n  results:\n  - task:\n      type: other\n      name: {}\n    dataset:\n      \
             type: membership-inference-audit\n      name: {}\n    metrics:\n",
            quoted(&subject),
            quoted("Membership inference: lower is better"),
            quoted(&records)
        );
        for attack in attacks {
            text += &metrics(report, attack);
        }
        let tool = format!("guestlist {}", report.provenance.version);
        let _ = write!(
            text,
            "    source:\n      name: {}\n      url: {}\n",
            quoted(&tool),
            quoted(SOURCE)
        );
    }
    text + "---\n\n"
}

fn metrics(report: &Report, attack: &AttackMeasures) -> String {
    let auc = &attack.auc;
    let name = format!(
        "AUC of attack {} (0.5 is guessing; lower is better)",
        attack.id
    );
    let mut text = metric("roc_auc", &name, auc.value, [auc.low, auc.high], report);
    for place in shown_rates(&report.provenance.measuring.fprs) {
        let Some(found) = attack.tpr_at_fpr.get(place) else {
            continue;
        };
        if let (Some(value), Some(low), Some(high)) = (found.value, found.low, found.high) {
            let at = rate(found.fpr);
            let name = format!(
                "TPR at {at} FPR of attack {} ({at} is guessing; lower is better)",
                attack.id
            );
            text += &metric("tpr_at_fpr", &name, value, [low, high], report);
        }
    }
    text
}

fn metric(kind: &str, name: &str, value: f64, interval: [f64; 2], report: &Report) -> String {
    let [low, high] = interval.map(number);
    let (value, confidence) = (
        number(value),
        number(report.provenance.measuring.confidence),
    );
    format!(
        "    - type: {kind}\n      name: {}\n      value: {value}\n      args:\n        low: {low}\n        high: {high}\n        \
         confidence: {confidence}\n",
        quoted(name)
    )
}

/// A number that YAML takes for one: never `1e-5`, which it takes for a word, and never without a point.
fn number(value: f64) -> String {
    let text = value.to_string();
    match text.contains('.') {
        true => text,
        false => text + ".0",
    }
}

/// A text as JSON, which is YAML too.
fn quoted(text: &str) -> String {
    // The same to whoever reads YAML, and no markup to whoever shows it as text.
    Value::String(printable(text))
        .to_string()
        .replace('<', "\\u003c")
}

fn section(report: &Report) -> String {
    let outcome = report.verdict.outcome;
    let with = caveats::counted(report).map(|found| format!(" with {}", escape(&found)));
    let with = with.unwrap_or_default();
    let mut text = format!("## Membership inference audit: {}{with}\n\n", sign(outcome));
    text += &format!("**{}**\n", escape(&headline(report)));
    if report.verdict.forced {
        text += "\nForced past a violated guardrail.\n";
    }
    text += &warnings(report);
    if outcome == Outcome::Inconclusive {
        text += "\nNothing was decided: the numbers of this audit are no evidence for or against a leak, and are left \
                 out.\n";
    } else {
        text += &table(report);
    }
    text += "\n";
    for line in lines(report) {
        text += &format!("- {}\n", escape(&line));
    }
    text
}

/// What weakens a pass, in full: whoever reads the card has no report beside it.
fn warnings(report: &Report) -> String {
    let lines = caveats::lines(report);
    if lines.is_empty() {
        return String::new();
    }
    let lines = lines.iter().map(|line| format!("- {}\n", escape(line)));
    format!(
        "\nWarnings that go with this pass:\n\n{}",
        lines.collect::<String>()
    )
}

fn table(report: &Report) -> String {
    let rates = &report.provenance.measuring.fprs;
    let places = shown_rates(rates);
    let confidence = 100.0 * report.provenance.measuring.confidence;
    let mut heads = vec!["attack".to_owned(), format!("AUC ({confidence}% interval)")];
    heads.extend(
        places
            .iter()
            .map(|place| format!("TPR at {} FPR", rate(rates[*place]))),
    );
    let mut rows: Vec<Vec<String>> = shown(report)
        .into_iter()
        .map(|attack| {
            let auc = &attack.auc;
            let mut row = vec![
                attack.id.clone(),
                format!("{:.3} ({:.3}–{:.3})", auc.value, auc.low, auc.high),
            ];
            row.extend(places.iter().map(|place| {
                let found = attack.tpr_at_fpr.get(*place).and_then(|found| found.value);
                found.map_or("too few".to_owned(), |value| {
                    format!("{:.2}%", 100.0 * value)
                })
            }));
            row
        })
        .collect();
    let mut guessing = vec!["guessing".to_owned(), "0.500".to_owned()];
    guessing.extend(
        places
            .iter()
            .map(|place| format!("{:.2}%", 100.0 * rates[*place])),
    );
    rows.push(guessing);
    markdown_table(&heads, &rows)
}

fn shown(report: &Report) -> Vec<&AttackMeasures> {
    report.strongest_first().into_iter().take(ATTACKS).collect()
}

/// For whom it holds, on how much, and what it is not.
fn lines(report: &Report) -> Vec<String> {
    let provenance = &report.provenance;
    let mut lines = vec![crate::composed::judged(report)];
    if let Some(attacker) = &report.verdict.attacker {
        lines.push(format!("the attacker {}", attacker.who));
        lines.extend(
            attacker
                .stronger
                .iter()
                .map(|stronger| format!("not tried: {stronger}")),
        );
    }
    if report.attacks.len() > ATTACKS && report.verdict.outcome != Outcome::Inconclusive {
        lines.push(format!(
            "the strongest of {} attacks are shown",
            report.attacks.len()
        ));
    }
    let day = provenance
        .date
        .iter()
        .map(|date| format!(", {date}"))
        .collect::<String>();
    lines.push(format!(
        "guestlist {}{day}: {}",
        provenance.version, provenance.command
    ));
    lines.push("no statement of compliance; other kinds of attacks were not tested".to_owned());
    lines
}
