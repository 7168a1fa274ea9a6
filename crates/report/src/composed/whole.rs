//! Everything that the report has, in one column.

use judge::AttackMeasures;
use judge::guardrails::Status;

use super::{NEXT, attacks, findings, gap, judged, next_steps, origin, verdict};
use crate::blocks::Block;
use crate::document::Report;
use crate::plot;
use crate::sections::{Room, sections};
use crate::subject::subject;

/// Attacks that are drawn.
const DRAWN: usize = 3;

pub fn whole(report: &Report) -> Vec<Block> {
    let mut blocks = vec![
        Block::Verdict(verdict(report)),
        Block::List(vec![judged(report)]),
        Block::List(subject(report)),
    ];
    if let Some(steps) = next_steps(report) {
        blocks.extend([Block::Heading(NEXT.into()), steps]);
    }
    if !report.attacks.is_empty() {
        blocks.push(gap());
        blocks.extend([attacks::every(report), attacks::legend(report), gap()]);
    }
    let strongest: Vec<&AttackMeasures> =
        report.strongest_first().into_iter().take(DRAWN).collect();
    blocks.push(Block::Drawing(plot::roc(&strongest)));
    blocks.extend(
        sections(report, Room::Long)
            .iter()
            .flat_map(|one| one.blocks()),
    );
    let found = found(report);
    if !found.is_empty() {
        blocks.extend([gap(), Block::Findings(found)]);
    }
    blocks.push(Block::Origin(origin(report)));
    blocks
}

/// What was looked at and found in order is half of the answer.
fn found(report: &Report) -> Vec<crate::blocks::Finding> {
    let guardrails = findings::guardrails(report, &[Status::Violated, Status::Warn, Status::Ok]);
    [
        guardrails,
        findings::skipped(report),
        findings::notes(report),
    ]
    .concat()
}
