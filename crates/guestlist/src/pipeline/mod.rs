//! The one way of every audit: a configuration becomes a plan, a plan is collected, signals are
//! attacked and judged, and the report is written. [`run`], [`plan`] and [`audit`] are written once,
//! over what a [`Kind`](crate::kinds::Kind) says of itself.

pub(crate) mod answers;
mod calling;
pub(crate) mod canaries;
pub(crate) mod columns;
mod context;
pub mod day;
mod document;
mod entry;
mod estimate;
mod figures;
pub(crate) mod found;
mod joined;
pub(crate) mod judged;
mod kept;
mod left_out;
mod members;
pub mod misspelt;
mod options;
mod output;
pub(crate) mod persons;
mod probe;
mod requests;
pub(crate) mod skipped;
pub(crate) mod slicing;
mod stages;
mod unfinished;

use attacks::scores::Scores;
use formats::ids::Ids;
use judge::calls::Calls;
use judge::diagnostics::Exposures;
use judge::records::Records;
use report::Report;

pub(crate) use calling::Calling;
pub use canaries::{SealedCanaries, TextsTold};
pub(crate) use context::input;
pub use context::{AuditContext, digests};
pub(crate) use document::read as document_text;
pub use document::{Document, Place};
pub(crate) use document::{RunFolder, seen_from};
pub use entry::{Entry, entry};
pub use estimate::{Estimate, Sizes, span};
pub use figures::write_figures;
pub(crate) use kept::Kept;
pub use members::read_listed;
pub use options::{AuditOptions, ClaimSettings, ResolvedOptions, Source};
pub use output::{Extra, OutFolder};
pub use persons::PersonsWanted;
pub use probe::{Probed, Question, first_question, probe};
pub use requests::{AuditRequest, RunOptions, WhatIf};
pub use stages::{Collected, Finished, audit, collect, plan, run};
pub(crate) use stages::{conclude, run_plan, tell_findings};
pub(crate) use unfinished::Unfinished;

/// What an audit leaves.
pub struct Audit {
    pub report: Report,
    pub scores: Vec<(String, Scores)>,
    /// Who is a member, record by record, where that is known.
    pub members: Vec<Option<bool>>,
    pub ids: Option<Ids>,
    /// How often each record was caught, where there were replicates.
    pub exposures: Option<Exposures>,
    /// What was said of records of unknown membership, where there are any.
    pub calls: Option<Calls>,
    /// Further files of this kind of audit, by name.
    pub further: Vec<(&'static str, String)>,
}

impl Audit {
    /// Puts what is known of the records beside a report that has everything else. Without
    /// `show_records` the report knows them by number alone, so that no rendering can say more.
    pub(crate) fn new(
        show_records: bool,
        report: Report,
        scores: Vec<(String, Scores)>,
        members: Vec<Option<bool>>,
        ids: Option<Ids>,
        exposures: Option<Exposures>,
    ) -> Self {
        let mut audit = Audit {
            report,
            scores,
            members,
            ids,
            exposures,
            calls: None,
            further: Vec::new(),
        };
        audit.report.next_steps = crate::advice::next_steps(&audit.report);
        audit.report.records = audit.records();
        if !show_records {
            audit.report = audit.report.without_records();
        }
        audit
    }

    /// The records that the gated attack exposes most.
    fn records(&self) -> Option<Records> {
        let gate = self.report.verdict.gate.as_ref()?;
        let level = self.report.provenance.measuring.confidence;
        let judged = judge::records::Judged {
            scores: &self.scores,
            members: &self.members,
            exposures: self.exposures.as_ref().map(|found| (found, level)),
        };
        judged.records(&gate.attack, |row| match &self.ids {
            Some(ids) => ids[row].to_owned(),
            None => row.to_string(),
        })
    }
}
