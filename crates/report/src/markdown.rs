//! The report as Markdown, for pull requests and notes: the verdict and the strongest attacks in
//! sight, everything else folded.

use judge::guardrails::Status;
use judge::verdict::Outcome;

use crate::blocks::markdown::{self as rendered, markdown_table};
use crate::blocks::{Block, Section};
use crate::document::Report;
use crate::sections::{Room, sections};
use crate::table::{Rates, cells, heads};
use crate::text::{folded, markdown as escape};

/// How many attacks are in sight.
const SHOWN_ATTACKS: usize = 3;

/// The report as GitHub-flavoured Markdown. It is made to be posted: no record is shown in it.
pub fn markdown(report: &Report) -> String {
    let report = &report.clone().without_records();
    let mut text = format!("## guestlist: {}\n\n", sign(report.verdict.outcome));
    if report.verdict.forced {
        text += "- forced past a violated guardrail\n";
    }
    let said = report.verdict.reasons.iter().chain(&report.notes);
    text.extend(said.map(|line| format!("- {}\n", escape(line))));
    if !report.attacks.is_empty() {
        text += &strongest(report);
        text += &folded(&counted(report.attacks.len(), "attack"), &attacks(report));
    }
    if !report.guardrails.is_empty() || !report.skipped.is_empty() {
        text += &folded(&tally(report), &findings(report));
    }
    let details = details(report);
    if !details.is_empty() {
        text += &folded("Details", &details);
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

/// The outcome as a reader sees it from afar.
pub fn sign(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "✅ pass",
        Outcome::Fail => "❌ fail",
        Outcome::Inconclusive => "❔ inconclusive",
    }
}

/// AUC and rates of the first few, without intervals of rates and further measures.
fn strongest(report: &Report) -> String {
    let fprs = &report.provenance.measuring.fprs;
    let columns = 3 + fprs.len();
    let attacks = report.strongest_first().into_iter().take(SHOWN_ATTACKS);
    let rows: Vec<Vec<String>> = attacks
        .map(|attack| cells(attack, Rates::Alone))
        .map(|cells| cells.into_iter().take(columns).collect())
        .collect();
    let heads: Vec<String> = heads(fprs).into_iter().take(columns).collect();
    markdown_table(&heads, &rows)
}

fn attacks(report: &Report) -> String {
    let attacks = report.strongest_first().into_iter();
    let rows: Vec<Vec<String>> = attacks
        .map(|attack| cells(attack, Rates::WithIntervals))
        .collect();
    markdown_table(&heads(&report.provenance.measuring.fprs), &rows)
}

fn details(report: &Report) -> String {
    let sections = sections(report, Room::Long);
    let blocks: Vec<Block> = sections.iter().flat_map(Section::blocks).collect();
    rendered::markdown(&blocks)
}

/// How the guardrails stand, in one line.
fn tally(report: &Report) -> String {
    let count = |status| {
        let with = report.guardrails.iter().filter(|one| one.status == status);
        with.count()
    };
    let mut parts = Vec::new();
    for (status, word) in [
        (Status::Violated, "violated"),
        (Status::Warn, "with a warning"),
        (Status::Ok, "ok"),
    ] {
        match count(status) {
            0 => {}
            n => parts.push(format!("{n} {word}")),
        }
    }
    if !report.skipped.is_empty() {
        parts.push(counted(report.skipped.len(), "attack") + " skipped");
    }
    format!("Guardrails: {}", parts.join(", "))
}

fn counted(count: usize, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}

/// The worst first.
fn findings(report: &Report) -> String {
    let mut text = String::from("\n");
    for (status, word) in [
        (Status::Violated, "⛔ violated"),
        (Status::Warn, "⚠️ warning"),
        (Status::Ok, "✅ ok"),
    ] {
        let found = report.guardrails.iter().filter(|one| one.status == status);
        text.extend(found.map(|finding| {
            let (id, detail) = (escape(&finding.id), escape(&finding.detail));
            format!("- {word} **{id}**: {detail}\n")
        }));
    }
    text.extend(report.skipped_by_reason().iter().map(|(ids, reason)| {
        let (ids, reason) = (escape(ids), escape(reason));
        format!("- skipped **{ids}**: {reason}\n")
    }));
    text
}
