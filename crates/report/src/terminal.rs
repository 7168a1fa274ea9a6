//! The report for a person at a terminal: verdict first, then numbers, then warnings in words.

use judge::AttackMeasures;
use judge::guardrails::Status;
use judge::verdict::Outcome;

use crate::blocks::terminal::{self as rendered, align};
use crate::classifier::Classifier;
use crate::detail::Detail;
use crate::document::Report;
use crate::plot;
use crate::sections::{Room, sections};
use crate::table::{Rates, cells, heads};
use crate::text::{printable, wrap};

/// How to write for the terminal at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Columns the terminal has.
    pub width: usize,
}

impl Style {
    pub(crate) fn paint(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }
}

/// The whole report as text.
pub fn terminal(report: &Report, style: Style) -> String {
    let mut lines = verdict(report, style);
    if !report.attacks.is_empty() {
        lines.push(String::new());
        lines.extend(table(report, style));
        lines.push(String::new());
    }
    let strongest: Vec<&AttackMeasures> = report.strongest_first().into_iter().take(3).collect();
    lines.extend(plot::roc(&strongest));
    for section in sections(report, Room::Short) {
        lines.extend(rendered::terminal(&section.blocks(), style));
    }
    lines.extend(warnings(report, style));
    lines.extend(provenance(report));
    lines.push(String::new());
    lines.join("\n")
}

fn verdict(report: &Report, style: Style) -> Vec<String> {
    let code = match report.verdict.outcome {
        Outcome::Pass => "1;32",
        Outcome::Fail => "1;31",
        Outcome::Inconclusive => "1;33",
    };
    let (word, meaning) = outcome(report.verdict.outcome);
    let forced = if report.verdict.forced {
        " (forced past a violated guardrail)"
    } else {
        ""
    };
    let mut lines = vec![format!("{}: {meaning}{forced}", style.paint(code, word))];
    for reason in &report.verdict.reasons {
        lines.extend(wrap(&printable(reason), style.width, "  ", "  "));
    }
    lines.extend(wrap(&judged(report), style.width, "  ", "  "));
    lines
}

/// An outcome as a sign with a word, which needs no colour, and what it means.
pub(crate) fn outcome(outcome: Outcome) -> (&'static str, &'static str) {
    match outcome {
        Outcome::Pass => ("✔ PASS", "no leak above the threshold was found"),
        Outcome::Fail => ("✘ FAIL", "membership leaks"),
        Outcome::Inconclusive => ("? INCONCLUSIVE", "this audit decides nothing"),
    }
}

/// What was judged, in one sentence.
pub(crate) fn judged(report: &Report) -> String {
    let data = &report.provenance.data;
    let counts = format!(
        "judged ({} members, {} non-members)",
        data.judged_members,
        data.judged_records - data.judged_members
    );
    let records = data.judged_records;
    match &report.detail {
        Detail::Rag(rag) => {
            let answered = rag.requests.answered;
            format!("{records} documents {counts} by {answered} answers")
        }
        Detail::Source(source) => {
            let (items, answered) = (data.records, source.requests.answered);
            match records {
                0 => format!("{items} items, none of known source, by {answered} answers"),
                _ => format!("{records} of {items} items {counts} by {answered} answers"),
            }
        }
        Detail::Fewshot(few) => {
            let (runs, query) = (few.design.runs, few.design.query);
            format!(
                "{records} records {counts}; {runs} runs that ask about {query} + {query} of them \
                 each"
            )
        }
        Detail::Lm(lm) => match lm.tokens {
            0 => format!("{records} texts {counts}; no model has scored them"),
            tokens => format!("{records} texts {counts}; {tokens} predicted tokens in all"),
        },
        Detail::Scores(_) => format!("{records} records {counts}; scores made elsewhere"),
        Detail::Classifier(one) => format!("{records} records {counts}; {}", against(one)),
    }
}

fn against(classifier: &Classifier) -> String {
    let Classifier {
        target,
        models,
        shadows,
        ..
    } = classifier;
    match shadows {
        0 => format!("model {target} alone, without shadows"),
        _ => format!("model {target} of {models} against {shadows} shadows"),
    }
}

fn table(report: &Report, style: Style) -> Vec<String> {
    let fprs = &report.provenance.measuring.fprs;
    let render = |rates: Rates| {
        let attacks = report.strongest_first().into_iter();
        let rows: Vec<Vec<String>> = attacks.map(|attack| cells(attack, rates)).collect();
        align(&heads(fprs), &rows)
    };
    let mut lines = render(Rates::WithIntervals);
    if lines.iter().any(|line| line.chars().count() > style.width) {
        lines = render(Rates::Alone);
    }
    if let Some(head) = lines.first_mut() {
        *head = style.paint("1", head);
    }
    let confidence = 100.0 * report.provenance.measuring.confidence;
    lines.extend(wrap(
        &format!(
            "Intervals {confidence}%; TPR is the step rule (FP ≤ FPR · non-members). Chance: AUC \
             0.5, TPR = FPR. ε: lower bound at δ = {}. Log-MIA levels are shown only where they \
             differ from chance at 5%, corrected for attacks and regimes{}.",
            report.provenance.measuring.delta,
            chance_line(report)
        ),
        style.width,
        "",
        "",
    ));
    lines
}

/// What Log-MIA gives by chance alone for this many records.
fn chance_line(report: &Report) -> String {
    report.attacks.first().map_or(String::new(), |attack| {
        let (a, b) = (&attack.log_mia.a, &attack.log_mia.b);
        format!(
            "; a random score gets {:.2} (A) and {:.2} (B) on average",
            a.expected_by_chance, b.expected_by_chance
        )
    })
}

fn warnings(report: &Report, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in &report.guardrails {
        let (code, word) = match finding.status {
            // Of texts, what was looked at and found in order is half of the answer.
            Status::Ok if report.shows_what_is_in_order() => ("32", "ok"),
            Status::Ok => continue,
            Status::Warn => ("33", "warning"),
            Status::Violated => ("31", "violated"),
        };
        let text = format!("{word} {}: {}", finding.id, printable(&finding.detail));
        let mut wrapped = wrap(&text, style.width, "", "    ");
        // Painted after wrapping: colours take no room.
        wrapped[0] = wrapped[0].replacen(word, &style.paint(code, word), 1);
        lines.extend(wrapped);
    }
    for (ids, reason) in report.skipped_by_reason() {
        let text = format!("skipped {ids}: {}", printable(reason));
        lines.extend(wrap(&text, style.width, "", "    "));
    }
    for note in &report.notes {
        let text = format!("note: {}", printable(note));
        lines.extend(wrap(&text, style.width, "", "    "));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
    }
    lines
}

fn provenance(report: &Report) -> Vec<String> {
    let provenance = &report.provenance;
    vec![
        String::new(),
        format!(
            "guestlist {}, seed {}: {}",
            provenance.version,
            provenance.seed,
            printable(&provenance.command)
        ),
    ]
}
