//! One screen: what the verdict means, what decided it, the strongest attacks, what to beware of, what to do,
//! and where the rest is.

use judge::guardrails::Status;
use judge::verdict::Outcome;

use super::{NEXT, attacks, findings, gap, judged, verdict};
use crate::blocks::{Block, Finding, Verdict};
use crate::brief::brief;
use crate::document::Report;
use crate::sections::{slices, unknown};
use crate::subject::subject;

/// So many of each have room.
const ATTACKS: usize = 5;
const REASONS: usize = 3;
const WARNINGS: usize = 3;
const NOTES: usize = 1;
const STEPS: usize = 3;
/// Lines that one reason, warning or step may take.
const LINES: usize = 3;

/// In about forty lines of eighty columns.
pub fn first_screen(report: &Report, width: usize) -> Vec<Block> {
    let screen = Screen { report, width };
    let mut blocks = vec![
        Block::Verdict(Verdict {
            reasons: Vec::new(),
            ..verdict(report)
        }),
        Block::List(subject(report)),
        gap(),
        Block::List(screen.deciding()),
    ];
    blocks.extend(screen.attacks());
    blocks.extend(screen.calls());
    blocks.extend(screen.warnings());
    blocks.extend(screen.unjudged());
    blocks.extend(screen.next_steps());
    blocks.extend([gap(), Block::Remark(screen.rest())]);
    blocks
}

struct Screen<'a> {
    report: &'a Report,
    width: usize,
}

impl Screen<'_> {
    /// A text in the room of so many lines, less what is indented.
    fn brief(&self, text: &str) -> String {
        brief(text, LINES * self.width.saturating_sub(6))
    }

    fn deciding(&self) -> Vec<String> {
        let reasons = self.report.verdict.reasons.iter();
        let mut reasons: Vec<&String> = reasons.filter(|reason| self.matters(reason)).collect();
        // That members are exposed all the same stands right behind what decided.
        let exposed = |reason: &String| reason.starts_with("few-members: ");
        if let Some(place) = reasons.iter().position(|reason| exposed(reason)) {
            let reason = reasons.remove(place);
            reasons.insert(place.min(1), reason);
        }
        let shown = reasons.iter().take(REASONS);
        let mut lines: Vec<String> = shown.map(|reason| self.brief(reason)).collect();
        match reasons.len().saturating_sub(REASONS) {
            0 => {}
            1 => lines.push("1 more reason: --verbose".into()),
            more => lines.push(format!("{more} more reasons: --verbose")),
        }
        lines.push(judged(self.report));
        lines
    }

    /// What a leak that is found could not have been seen by is no news.
    fn matters(&self, reason: &str) -> bool {
        self.report.verdict.outcome != Outcome::Fail || !reason.starts_with("detectable-leak: ")
    }

    fn attacks(&self) -> Vec<Block> {
        if self.report.attacks.is_empty() {
            return Vec::new();
        }
        let table = attacks::strongest(self.report, ATTACKS);
        let mut blocks = vec![gap(), table];
        match self.report.attacks.len().saturating_sub(ATTACKS) {
            0 => {}
            1 => blocks.push(Block::Remark("1 weaker attack: --verbose.".into())),
            more => blocks.push(Block::Remark(format!("{more} weaker attacks: --verbose."))),
        }
        blocks
    }

    /// What was said of records of unknown membership.
    fn calls(&self) -> Vec<Block> {
        let Some(found) = &self.report.unknown else {
            return Vec::new();
        };
        vec![gap(), Block::Remark(unknown::short(found))]
    }

    /// Each with its remedy. Reasons that stand above are not repeated.
    fn warnings(&self) -> Vec<Block> {
        let above = |finding: &Finding| {
            let name = format!("{}: ", finding.name);
            let mut reasons = self.report.verdict.reasons.iter();
            reasons.any(|reason| reason.starts_with(&name))
        };
        let mut found = findings::guardrails(self.report, &[Status::Violated, Status::Warn]);
        found.retain(|finding| !above(finding));
        let (notes, mut more) = (findings::notes(self.report), Vec::new());
        more.extend(names(found.get(WARNINGS..)));
        found.truncate(WARNINGS);
        found.extend(notes.into_iter().take(NOTES));
        let skipped = self.report.skipped.len();
        match skipped {
            0 => {}
            1 => more.push("1 attack that could not run".into()),
            _ => more.push(format!("{skipped} attacks that could not run")),
        }
        for finding in &mut found {
            finding.words = self.brief(&finding.words);
        }
        let mut blocks = Vec::new();
        if !found.is_empty() || !more.is_empty() {
            blocks.push(gap());
        }
        blocks.push(Block::Findings(found));
        if !more.is_empty() {
            blocks.push(Block::Remark(format!(
                "Also, by --verbose: {}",
                more.join(", ")
            )));
        }
        blocks
    }

    /// Parts of the records that a pass says nothing of.
    fn unjudged(&self) -> Vec<Block> {
        let passed = self.report.verdict.outcome == Outcome::Pass;
        let words = slices::unjudged(self.report).filter(|_| passed);
        let shown = words.map(|words| Block::Remark(self.brief(&words)));
        shown
            .into_iter()
            .flat_map(|remark| [gap(), remark])
            .collect()
    }

    fn next_steps(&self) -> Vec<Block> {
        let steps = &self.report.next_steps;
        if steps.is_empty() {
            return Vec::new();
        }
        let shown = steps.iter().take(STEPS).map(|step| {
            let room = LINES * self.width.saturating_sub(6);
            let room = room.saturating_sub(step.what.chars().count());
            (step.what.clone(), brief(&step.reason(), room))
        });
        let heading = Block::Heading(NEXT.into());
        vec![heading, Block::Steps(shown.collect())]
    }

    fn rest(&self) -> String {
        "More: --verbose, or report.html. Any word: guestlist explain WORD.".to_owned()
    }
}

/// The names of findings that have no room.
fn names(found: Option<&[Finding]>) -> Vec<String> {
    let found = found.unwrap_or_default().iter();
    found.map(|finding| finding.name.clone()).collect()
}
