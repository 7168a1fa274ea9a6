//! What a user asks of a run and of an audit, however it was asked: typed, or by a program.

use std::path::{Path, PathBuf};

use formats::files::refuse_pipe;
use report::Inputs;
use serde::Deserialize;

use super::{AuditContext, AuditOptions, Entry, Extra, ResolvedOptions, Source};
use crate::kinds::fewshot::ThresholdName;
use crate::kinds::{self, Kind};
use crate::{Error, Result};

/// What goes before the configuration, and what a run may do.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunOptions {
    pub shadows: Option<usize>,
    pub executor: Option<String>,
    pub workers: Option<usize>,
    /// `plan` makes a manifest for Kubernetes too, and readies the run's folder for it.
    pub kubernetes: bool,
    /// `plan` also hands back the questions, for others to ask.
    pub questions: bool,
    /// The most documents of each set, instead of the configuration's.
    pub limit: Option<usize>,
    /// Attacks instead of the configuration's: ids separated by commas, or `all`.
    pub attacks: Option<String>,
    /// Instead of the configuration's.
    pub seed: Option<u64>,
    /// Never send more than so many requests over the life of the run's folder.
    pub max_requests: Option<u64>,
    /// Judge what is stored; ask nobody.
    pub replay: bool,
    /// Discard the stored answers first.
    pub ask_again: bool,
    /// Criteria instead of the configuration's own.
    pub policy: Option<PathBuf>,
    /// Defences whose cost is measured beside: `dp-sgd`.
    pub what_if: Vec<WhatIf>,
    /// Files beyond the usual ones.
    pub extras: Vec<Extra>,
    /// What gives this report again; `guestlist run CONFIG` where nothing is said.
    pub command: Option<String>,
    /// The day of the audit, as 2026-03-09. No clock is read here: without it the report has none.
    pub date: Option<String>,
    /// The program that nodes of a cluster start; this one where nothing is said.
    pub worker: Option<PathBuf>,
}

/// A defence that a run can try beside the audited model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhatIf {
    /// Private training of the audited model's recipe.
    DpSgd,
}

impl RunOptions {
    /// What gives the report of this configuration again.
    pub fn command_for(&self, config: &Path) -> String {
        let again = || format!("guestlist run {}", config.display());
        self.command.clone().unwrap_or_else(again)
    }

    /// What goes before a configuration's own audit. A path that was typed is seen from where the user is.
    pub fn overrule(&self, audit: &mut AuditOptions) {
        if let Some(policy) = &self.policy {
            audit.policy = Some(std::path::absolute(policy).unwrap_or_else(|_| policy.clone()));
        }
        if let Some(attacks) = &self.attacks {
            audit.attacks.clone_from(attacks);
        }
    }

    /// Refuses what means nothing for this kind.
    pub fn check<K: Kind>(&self, config: &Path) -> Result<()> {
        let given = [
            (self.shadows.is_some(), "shadows"),
            (self.executor.is_some(), "executor"),
            (self.workers.is_some(), "workers"),
            (self.kubernetes, "kubernetes"),
            (self.questions, "questions"),
            (self.limit.is_some(), "limit"),
            (self.attacks.is_some(), "attacks"),
            (self.seed.is_some(), "seed"),
            (self.max_requests.is_some(), "max-requests"),
            (self.replay, "replay"),
            (self.ask_again, "ask-again"),
            (!self.what_if.is_empty(), "what-if"),
        ];
        refuse_foreign::<K>(
            &given,
            |entry| entry.run_options,
            config,
            Source::CommandLine,
        )
    }
}

/// Refuses the first option that was given and that another kind owns.
fn refuse_foreign<K: Kind>(
    given: &[(bool, &str)],
    options: fn(&Entry) -> &'static [&'static str],
    input: &Path,
    source: Source,
) -> Result<()> {
    let takes = |kind: report::Kind, option: &str| options(kinds::find(kind)).contains(&option);
    let given = given.iter().filter(|(given, _)| *given);
    let mut given = given.map(|(_, option)| *option);
    let Some(option) = given.find(|option| !takes(K::KIND, option)) else {
        return Ok(());
    };
    let owners = report::Kind::ALL.into_iter();
    let owners = owners.filter(|kind| takes(*kind, option));
    let owners: Vec<&str> = owners.map(|kind| kind.name()).collect();
    let dashes = match source {
        Source::Program => "",
        _ => "--",
    };
    Err(Error::usage(
        format!(
            "{dashes}{option} is for kind {}, but {} is of kind {}",
            owners.join(", "),
            input.display(),
            K::KIND.name()
        ),
        match owners.as_slice() {
            [owner] => {
                format!("leave it out, or add {dashes}kind {owner} where that is what it is")
            }
            _ => format!("leave it out, or say what the input is with {dashes}kind"),
        },
    ))
}

/// What is asked of an audit of signals that exist already.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditRequest {
    /// What the input is, where looking at it is not enough.
    pub kind: Option<report::Kind>,
    #[serde(rename = "audit")]
    pub options: AuditOptions,
    pub seed: u64,
    /// What gives this report again.
    pub command: String,
    /// The day of the audit, as 2026-03-09. No clock is read here: without it the report has none.
    pub date: Option<String>,
    /// The layout of shadow signals, where looking is not enough.
    pub format: Option<String>,
    pub target: usize,
    pub shadows: Option<usize>,
    /// A list of members, one id per line.
    pub members: Option<PathBuf>,
    /// A list of records of unknown membership, one id per line.
    pub unknown: Option<PathBuf>,
    /// The manifest of canaries that were scored: their truth is opened when scores are there.
    pub canaries: Option<PathBuf>,
    pub population: Option<PathBuf>,
    /// A data set to slice by.
    pub records: Option<PathBuf>,
    /// Texts of documents that a transcript names.
    pub documents: Option<PathBuf>,
    /// The configuration whose questions were asked elsewhere: it says what is a member, and how to judge.
    pub config: Option<PathBuf>,
    pub training_file: Option<PathBuf>,
    /// Token signals of a fine-tune of one's own, for attacks that learn from a shadow.
    pub shadow: Option<PathBuf>,
    /// Further checkpoints: their label and file.
    pub checkpoints: Vec<(String, PathBuf)>,
    pub label: Option<String>,
    pub shots: Vec<usize>,
    pub runs: Option<usize>,
    pub validation: Option<usize>,
    pub query: Option<usize>,
    pub thresholds: Option<ThresholdName>,
    pub layer: Option<String>,
    /// Where results go; they are handed back alone where nothing is said.
    pub out: Option<PathBuf>,
    pub extras: Vec<Extra>,
}

impl AuditRequest {
    /// What the audit of so many records is told.
    pub fn context<A>(
        &self,
        resolved: &ResolvedOptions<A>,
        records: usize,
        inputs: Vec<Inputs>,
    ) -> AuditContext {
        let command = self.command.clone();
        self.options
            .context(resolved, records, self.seed, command, inputs)
    }

    /// Every file is read a second time for its digest, and a pipe has nothing left to read then.
    pub fn refuse_pipes(&self, input: &Path) -> Result<()> {
        let named = [
            &self.members,
            &self.unknown,
            &self.canaries,
            &self.population,
            &self.records,
            &self.documents,
            &self.training_file,
            &self.shadow,
        ];
        let named = named.into_iter().flatten().map(PathBuf::as_path);
        let checkpoints = self.checkpoints.iter().map(|(_, path)| path.as_path());
        let mut files = std::iter::once(input).chain(named).chain(checkpoints);
        files.try_for_each(refuse_pipe)
    }

    /// Refuses what means nothing for this kind.
    pub fn check<K: Kind>(&self, input: &Path) -> Result<()> {
        let given = [
            (self.format.is_some(), "format"),
            (self.target != 0, "target"),
            (self.shadows.is_some(), "shadows"),
            (!self.options.settings.is_empty(), "set"),
            (self.members.is_some(), "members"),
            (self.unknown.is_some(), "unknown"),
            (self.canaries.is_some(), "canaries"),
            (self.population.is_some(), "population"),
            (self.records.is_some(), "records"),
            (self.documents.is_some(), "documents"),
            (self.config.is_some(), "config"),
            (self.training_file.is_some(), "training-file"),
            (self.shadow.is_some(), "shadow"),
            (!self.checkpoints.is_empty(), "checkpoint"),
            (self.label.is_some(), "label"),
            (!self.shots.is_empty(), "shots"),
            (self.runs.is_some(), "runs"),
            (self.validation.is_some(), "validation"),
            (self.query.is_some(), "query"),
            (self.thresholds.is_some(), "thresholds"),
            (self.layer.is_some(), "layer"),
            (self.options.replicates > 0, "replicates"),
            (!self.options.scaling.is_empty(), "scaling"),
            (!self.options.slices.is_empty(), "slice"),
            (self.options.group.is_some(), "group"),
            (self.options.join.is_some(), "join"),
        ];
        let source = self.options.source;
        refuse_foreign::<K>(&given, |entry| entry.audit_options, input, source)
    }
}
