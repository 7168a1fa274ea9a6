//! The report as Markdown, for pull requests and notes.

use judge::guardrails::Status;
use judge::verdict::Outcome;

use crate::document::Report;
use crate::section::markdown_table;
use crate::sections::{Room, sections};
use crate::table::{Detail, cells, heads};
use crate::text::markdown as escape;

/// The report as GitHub-flavoured Markdown.
pub fn markdown(report: &Report) -> String {
    let sign = match report.verdict.outcome {
        Outcome::Pass => "✅ pass",
        Outcome::Fail => "❌ fail",
        Outcome::Inconclusive => "❔ inconclusive",
    };
    let mut text = format!("## guestlist: {sign}\n\n");
    for reason in &report.verdict.reasons {
        text += &format!("- {}\n", escape(reason));
    }
    if !report.attacks.is_empty() {
        text += &attacks(report);
    }
    text += &findings(report);
    for section in sections(report, Room::Long) {
        text += &section.markdown();
    }
    if let Some(training) = &report.training {
        text += &training.markdown();
    }
    if let Some(language) = &report.language {
        text += &language.markdown();
    }
    let provenance = &report.provenance;
    text += &format!(
        "\n<sub>guestlist {}, seed {}: {}</sub>\n",
        escape(&provenance.version),
        provenance.seed,
        escape(&provenance.command)
    );
    text
}

fn attacks(report: &Report) -> String {
    let attacks = report.strongest_first().into_iter();
    let rows: Vec<Vec<String>> = attacks.map(|attack| cells(attack, Detail::Full)).collect();
    markdown_table(&heads(&report.provenance.measuring.fprs), &rows)
}

fn findings(report: &Report) -> String {
    let mut text = String::new();
    for finding in &report.guardrails {
        let word = match finding.status {
            Status::Ok if report.shows_what_is_in_order() => "✅ ok",
            Status::Ok => continue,
            Status::Warn => "⚠️ warning",
            Status::Violated => "⛔ violated",
        };
        text += &format!(
            "- {word} **{}**: {}\n",
            escape(&finding.id),
            escape(&finding.detail)
        );
    }
    for skipped in &report.skipped {
        text += &format!(
            "- skipped **{}**: {}\n",
            escape(&skipped.id),
            escape(&skipped.reason)
        );
    }
    for note in &report.notes {
        text += &format!("- {}\n", escape(note));
    }
    if text.is_empty() {
        text
    } else {
        format!("\n{text}")
    }
}
