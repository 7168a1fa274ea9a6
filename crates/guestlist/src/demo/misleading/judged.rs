//! The right way: the same audit that `guestlist audit --kind scores` does.

use attacks::watch::Watch;
use judge::guardrails::Status;
use report::Report;

use crate::Error;
use crate::audit::given::GivenScores;
use crate::audit::{Progress, Wishes};

/// Nobody watches an audit that takes a moment.
struct Unwatched;

impl Watch for Unwatched {
    fn advance(&self, _records: usize) {}

    fn cancelled(&self) -> bool {
        false
    }
}

impl Progress for Unwatched {
    fn phase(&self, _name: &str, _records: usize) {}
}

/// Judges one score of every record.
pub fn report(name: &str, scores: &[f64], members: &[bool], seed: u64) -> Result<Report, Error> {
    let wishes = Wishes::default();
    let granted = wishes.grant_scores()?;
    let scores = scores.iter().map(|score| Ok(*score)).collect();
    let given = GivenScores {
        scores: vec![(name.to_owned(), scores)],
        members: members.to_vec(),
        ids: None,
        terms: wishes.terms(&granted, members.len(), seed, String::new(), Vec::new()),
        format: "demonstration",
    };
    Ok(given.run(&Unwatched)?.report)
}

/// Whether a guardrail is violated, or warns.
pub fn status(report: &Report, guardrail: &str) -> Option<Status> {
    let mut findings = report.guardrails.iter();
    let found = findings.find(|finding| finding.id == guardrail);
    found.map(|finding| finding.status)
}

/// The AUC of the only attack, or one half where there is none.
pub fn auc(report: &Report) -> f64 {
    report
        .attacks
        .first()
        .map_or(0.5, |attack| attack.auc.value)
}

/// As the gate's default has it.
pub fn verdict(auc: f64) -> &'static str {
    match auc >= judge::gate::DEFAULT_AUC_THRESHOLD {
        true => "FAIL",
        false => "PASS",
    }
}
