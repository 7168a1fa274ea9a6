//! What is posted to pull requests: the verdict and the strongest attacks in sight, the rest folded. No
//! record is named in it.

use judge::guardrails::Status;

use super::{NEXT, attacks, findings, next_steps, origin, verdict};
use crate::blocks::{Block, Section};
use crate::caveats;
use crate::document::Report;
use crate::sections::{Room, sections};
use crate::subject::subject;

/// How many attacks are in sight.
const SHOWN_ATTACKS: usize = 3;

pub fn posted(report: &Report) -> Vec<Block> {
    let mut said = verdict(report);
    // In sight, and not folded away with what is in order.
    let warnings = caveats::lines(report).into_iter();
    let unsaid = warnings.filter(|line| !report.verdict.reasons.contains(line));
    said.reasons
        .extend(unsaid.map(|line| format!("warning: {line}")));
    said.reasons.extend(report.notes.iter().cloned());
    let mut blocks = vec![Block::Verdict(said)];
    blocks.push(Block::List(subject(report)));
    if !report.attacks.is_empty() {
        blocks.push(attacks::strongest(report, SHOWN_ATTACKS));
        let count = counted(report.attacks.len(), "attack");
        blocks.push(Block::Folded(count, vec![attacks::every(report)]));
    }
    if let Some(steps) = next_steps(report) {
        blocks.push(Block::Folded(NEXT.into(), vec![steps]));
    }
    if !report.guardrails.is_empty() || !report.skipped.is_empty() {
        let guardrails =
            findings::guardrails(report, &[Status::Violated, Status::Warn, Status::Ok]);
        let found = [guardrails, findings::skipped(report)].concat();
        blocks.push(Block::Folded(tally(report), vec![Block::Findings(found)]));
    }
    let details = sections(report, Room::Long);
    let details: Vec<Block> = details.iter().flat_map(Section::blocks).collect();
    if !details.is_empty() {
        blocks.push(Block::Folded("Details".into(), details));
    }
    blocks.push(Block::Origin(origin(report)));
    blocks
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
