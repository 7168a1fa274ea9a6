//! Audits of signals that exist already: attack, judge, report. A file for each kind of signals;
//! what they share is in [`judged`] (from scores to a verdict), [`sorting`] and [`terms`].

pub(crate) mod answers;
mod figures;
pub(crate) mod judged;
mod members;
mod output;
pub(crate) mod sorting;
mod terms;
mod wishes;

use attacks::scores::Scores;
use judge::diagnostics::Exposures;
use judge::records::Records;
use report::Report;

pub use figures::write_figures;
pub use members::read_members;
pub use output::{Extra, OutFolder};
pub use terms::{Terms, digests};
pub use wishes::{Granted, Source, Wishes};

/// What an audit leaves.
pub struct Audit {
    pub report: Report,
    pub scores: Vec<(String, Scores)>,
    /// Who is a member, record by record, where that is known.
    pub members: Vec<Option<bool>>,
    pub ids: Option<Vec<String>>,
    /// How often each record was caught, where there were replicates.
    pub exposures: Option<Exposures>,
}

impl Audit {
    /// Puts what is known of the records beside a report that has everything else. Without
    /// `show_records` the report knows them by number alone, so that no rendering can say more.
    pub(crate) fn new(
        show_records: bool,
        report: Report,
        scores: Vec<(String, Scores)>,
        members: Vec<Option<bool>>,
        ids: Option<Vec<String>>,
        exposures: Option<Exposures>,
    ) -> Self {
        let mut audit = Audit {
            report,
            scores,
            members,
            ids,
            exposures,
        };
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
            Some(ids) => ids[row].clone(),
            None => row.to_string(),
        })
    }
}
