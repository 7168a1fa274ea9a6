//! The report for a person at a terminal: one screen by default, everything when asked for.

use judge::policy::PolicyFinding;
use judge::verdict::Verdict;

use crate::blocks::terminal as rendered;
use crate::blocks::{self, Block};
use crate::composed;
use crate::document::Report;
use crate::headline;

/// How to write for the terminal at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Columns the terminal has.
    pub width: usize,
    /// Everything, and not one screen of it.
    pub verbose: bool,
}

impl Style {
    /// One screen without colours, in so many columns.
    pub fn plain(width: usize) -> Self {
        Self {
            colour: false,
            width,
            verbose: false,
        }
    }

    pub(crate) fn paint(self, code: &str, text: &str) -> String {
        if self.colour {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_string()
        }
    }
}

/// The report as text, ending in a line feed.
pub fn terminal(report: &Report, style: Style) -> String {
    let blocks = match style.verbose {
        true => composed::whole(report),
        false => composed::first_screen(report, style.width),
    };
    let lines = rendered::terminal(&blocks, style);
    lines.join("\n") + "\n"
}

/// What a policy says of a report, as text.
pub fn policy(policy: &PolicyFinding, verdict: &Verdict, style: Style) -> String {
    let mut blocks = vec![Block::Verdict(blocks::Verdict {
        outcome: verdict.outcome,
        forced: verdict.forced,
        headline: headline::meaning(verdict.outcome).to_owned(),
        reasons: verdict.reasons.clone(),
    })];
    blocks.extend(crate::sections::policy::section(policy).blocks());
    rendered::terminal(&blocks, style).join("\n") + "\n"
}
