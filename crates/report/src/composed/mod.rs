//! Which blocks a reader gets, and in which order: one screen of a terminal, everything, or what is posted
//! to a pull request. Pages order their parts themselves.

mod attacks;
mod findings;
mod first;
mod judged;
mod posted;
mod whole;

pub use first::first_screen;
pub use judged::judged;
pub use posted::posted;
pub use whole::whole;

use crate::blocks::{Block, Verdict};
use crate::document::Report;
use crate::headline::headline;

/// What steps stand under.
pub const NEXT: &str = "What to do next";

/// Every step, with what was measured of it; nothing where there is none.
pub fn next_steps(report: &Report) -> Option<Block> {
    let steps = report.next_steps.iter();
    let steps: Vec<_> = steps
        .map(|step| (step.what.clone(), step.reason()))
        .collect();
    (!steps.is_empty()).then_some(Block::Steps(steps))
}

/// The verdict with its sentence and what decided it.
pub fn verdict(report: &Report) -> Verdict {
    Verdict {
        outcome: report.verdict.outcome,
        forced: report.verdict.forced,
        headline: headline(report),
        reasons: report.verdict.reasons.clone(),
    }
}

/// What is needed to do it again.
fn origin(report: &Report) -> String {
    let provenance = &report.provenance;
    format!(
        "guestlist {}, seed {}: {}",
        provenance.version, provenance.seed, provenance.command
    )
}

/// A blank line.
fn gap() -> Block {
    Block::Drawing(vec![String::new()])
}
