//! What can be audited: a folder for each kind, and a line for each in [`KINDS`].
//!
//! A kind says how its configuration becomes a plan, what a run would cost, how signals are collected
//! or read, and how they are attacked. Planning, running and auditing are written once over that, in
//! [`crate::pipeline`].

pub mod classifier;
pub mod fewshot;
pub mod lm;
pub mod rag;
pub mod scores;
pub mod source;

use std::path::{Path, PathBuf};

use attacks::Attack;
use base::Progress;
use judge::guardrails::Finding;
use serde::de::DeserializeOwned;

use crate::init::{InitRequest, Start};
use crate::pipeline::{
    Audit, AuditRequest, Collected, Entry, Estimate, Place, Probed, Question, RunOptions, entry,
};
use crate::{Error, Result};

/// Every kind there is.
pub static KINDS: [Entry; report::Kind::ALL.len()] = [
    entry::<classifier::Classifier>(),
    entry::<lm::Lm>(),
    entry::<rag::Rag>(),
    entry::<source::Source>(),
    entry::<fewshot::Fewshot>(),
    entry::<scores::Scores>(),
];

/// What a kind makes of a wish for a configuration.
pub type Init = fn(&InitRequest) -> Result<Start>;

/// Whom a plan asks what.
pub type Asks<Plan> = fn(Plan, &Question<'_>) -> Result<Probed>;

/// One kind of audit.
pub trait Kind: Sized + 'static {
    const KIND: report::Kind;
    /// What it was called before.
    const ALIASES: &'static [&'static str] = &[];
    /// For people, over a list of its attacks.
    const TITLE: &'static str;
    /// Options of `run` and `plan` that mean something here, beyond those that every kind has.
    const RUN_OPTIONS: &'static [&'static str];
    /// The same of `audit`.
    const AUDIT_OPTIONS: &'static [&'static str];
    /// The same of `init`.
    const INIT_OPTIONS: &'static [&'static str] = &[];
    /// How a configuration starts; nothing where there is nothing to configure.
    const INIT: Option<Init> = None;
    /// Whom a single question goes to, before anything is spent on many; nothing where nobody is asked.
    const PROBE: Option<Asks<Self::Plan>> = None;
    /// For people: what is audited, and what its signals are.
    const SUBJECT: &'static str;
    const INPUT: &'static str;

    /// `guestlist.toml`, as it was written.
    type Config: DeserializeOwned;
    /// A configuration that was checked as far as it can be without cost; only this can run.
    type Plan;
    /// What attacks are handed, and all that an audit needs beside.
    type Signals;
    type Attack: Attack;

    /// Attacks that run where none is named.
    fn attacks() -> Vec<Self::Attack> {
        Self::Attack::every().to_vec()
    }

    /// The configuration that `guestlist init` writes when it is told nothing: every key there is.
    fn template() -> String;

    /// Checks everything; costs nothing.
    fn plan(config: Self::Config, place: Place, options: &RunOptions) -> Result<Self::Plan>;

    /// Where results go.
    fn folder(plan: &Self::Plan) -> PathBuf;

    /// What is not in order before anything is spent.
    fn findings(_plan: &Self::Plan) -> Vec<Finding> {
        Vec::new()
    }

    /// Where the texts lie that are read: what a folder of them holds beside is told.
    fn texts(_plan: &Self::Plan) -> Vec<PathBuf> {
        Vec::new()
    }

    /// What a run would do, take and cost. Nothing is sent, trained or kept.
    fn estimate(plan: Self::Plan, progress: Progress<'_>) -> Result<Estimate>;

    /// Trains, scores or asks what is missing. May be stopped and taken up again.
    fn collect(
        plan: Self::Plan,
        options: &RunOptions,
        progress: Progress<'_>,
    ) -> Result<Collected<Self::Signals>>;

    /// What somebody who stops a run while so much is there reads.
    fn interrupted(_kept: usize) -> Error {
        Error::interrupted()
    }

    /// Whether a file or folder holds signals of this kind, by looking at it.
    fn recognise(_input: &Path) -> bool {
        false
    }

    /// Signals that exist already.
    fn read(input: &Path, request: &AuditRequest, progress: Progress<'_>) -> Result<Self::Signals>;

    /// Attacks, judges and reports.
    fn attack(signals: Self::Signals, progress: Progress<'_>) -> Result<Audit>;
}

/// The kind of this name.
pub fn find(kind: report::Kind) -> &'static Entry {
    // Every kind has its line: a test sees to it.
    let found = KINDS.iter().find(|entry| entry.kind == kind);
    found.unwrap_or(&KINDS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_report_has_one_line() {
        for kind in report::Kind::ALL {
            assert_eq!(find(kind).kind, kind);
        }
        assert_eq!(KINDS.len(), report::Kind::ALL.len());
    }
}
