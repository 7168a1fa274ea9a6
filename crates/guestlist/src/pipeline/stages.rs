//! Plan, run, audit: once, for every kind.

use std::fs::File;
use std::path::{Path, PathBuf};

use base::{Event, Progress};
use judge::guardrails::{Finding, Status};
use serde_json::json;

use super::day;
use super::document;
use super::found;
use super::kept::Kept;
use super::left_out;
use super::{
    Audit, AuditRequest, Document, Estimate, Extra, OutFolder, Probed, Question, RunOptions,
};
use crate::kinds::{self, Kind};
use crate::{Error, Result};

/// What a run collected.
pub struct Collected<S> {
    pub signals: S,
    /// Keeps other runs out of the folder until the report is there.
    pub lock: Option<File>,
}

impl<S> From<S> for Collected<S> {
    fn from(signals: S) -> Self {
        Self {
            signals,
            lock: None,
        }
    }
}

/// What is left of an audit.
pub struct Finished {
    pub audit: Audit,
    pub files: Vec<PathBuf>,
}

/// What `run` would do with a configuration. Nothing is trained, sent or kept.
pub fn plan(
    config: impl AsRef<Path>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Estimate> {
    let config = config.as_ref();
    let text = document::read(config)?;
    let document = Document::new(config, &text)?;
    (kinds::find(document.kind()?).plan)(&document, options, progress)
}

/// From a configuration to a report: trains, scores or asks what is missing, attacks, judges, writes.
/// Whatever was collected before is not collected again.
pub fn run(
    config: impl AsRef<Path>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Finished> {
    let config = config.as_ref();
    let text = document::read(config)?;
    let document = Document::new(config, &text)?;
    (kinds::find(document.kind()?).run)(&document, options, progress)
}

/// Collects what a run would, and judges nothing.
pub fn collect(
    config: impl AsRef<Path>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<()> {
    let config = config.as_ref();
    let text = document::read(config)?;
    let document = Document::new(config, &text)?;
    (kinds::find(document.kind()?).collect)(&document, options, progress)
}

/// The audit of signals that exist already, or of what the folder of a run or audit holds: of the
/// kind that was named, or that they look like.
pub fn audit(
    input: impl AsRef<Path>,
    request: &AuditRequest,
    progress: Progress<'_>,
) -> Result<Finished> {
    request.refuse_pipes(input.as_ref())?;
    let input = &found::within(input.as_ref(), request, progress)?;
    (kinds::find(kind_of(input, request)).audit)(input, request, progress)
}

/// What the input is: what was said, or else what it looks like.
pub fn kind_of(input: &Path, request: &AuditRequest) -> report::Kind {
    let named = request.format.as_ref().map(|_| report::Kind::Classifier);
    let named = named.or(request.config.as_ref().map(|_| report::Kind::Rag));
    let seen = || kinds::KINDS.iter().find(|entry| (entry.recognise)(input));
    request
        .kind
        .or(named)
        .or_else(|| seen().map(|entry| entry.kind))
        .unwrap_or(report::Kind::Classifier)
}

pub fn plan_kind<K: Kind>(
    document: &Document<'_>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Estimate> {
    let plan = planned::<K>(document, options, progress)?;
    K::estimate(plan, progress)
}

pub fn probe_kind<K: Kind>(document: &Document<'_>, question: &Question<'_>) -> Result<Probed> {
    let place = document.place();
    let Some(asks) = K::PROBE else {
        return Err(Error::usage(
            format!(
                "{}: is of kind {}, which asks no service",
                place.path.display(),
                K::KIND.name()
            ),
            "probe configurations of kind rag or source",
        ));
    };
    let plan = K::plan(document.config::<K>()?, place, &RunOptions::default())?;
    asks(plan, question)
}

pub fn collect_kind<K: Kind>(
    document: &Document<'_>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<()> {
    let plan = planned::<K>(document, options, progress)?;
    let out = OutFolder::prepare(&K::folder(&plan))?;
    drop(K::collect(plan, options, progress)?);
    drop(out);
    Ok(())
}

pub fn run_kind<K: Kind>(
    document: &Document<'_>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Finished> {
    let plan = planned::<K>(document, options, progress)?;
    run_plan::<K>(plan, options, progress)
}

/// The same of a plan, however it came about.
pub(crate) fn run_plan<K: Kind>(
    plan: K::Plan,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<Finished> {
    let folder = K::folder(&plan);
    let out = OutFolder::prepare(&folder)?;
    progress.tell(Event::Folder {
        path: &folder,
        resumable: true,
    });
    let kept = Kept::new(progress);
    let finish = || {
        let collected = K::collect(plan, options, kept.progress());
        let Collected { signals, lock } = collected.inspect_err(|_| abandon(progress))?;
        let (extras, date) = (&options.extras, options.date.as_deref());
        let finished = conclude::<K>(signals, Some(out), extras, date, kept.progress())?;
        drop(lock);
        Ok(finished)
    };
    finish().map_err(
        |error: Error| match error.is_interruption() && !error.says_kept {
            true => K::interrupted(kept.count()),
            false => error,
        },
    )
}

pub fn audit_kind<K: Kind>(
    input: &Path,
    request: &AuditRequest,
    progress: Progress<'_>,
) -> Result<Finished> {
    request.check::<K>(input)?;
    request.date.as_deref().map(day::check).transpose()?;
    let out = request.out.as_deref().map(OutFolder::prepare).transpose()?;
    if let Some(path) = &request.out {
        progress.tell(Event::Folder {
            path,
            resumable: false,
        });
    }
    let signals = K::read(input, request, progress).inspect_err(|_| abandon(progress))?;
    let (extras, date) = (&request.extras, request.date.as_deref());
    conclude::<K>(signals, out, extras, date, progress)
}

fn planned<K: Kind>(
    document: &Document<'_>,
    options: &RunOptions,
    progress: Progress<'_>,
) -> Result<K::Plan> {
    let place = document.place();
    options.check::<K>(&place.path)?;
    options.date.as_deref().map(day::check).transpose()?;
    let plan = K::plan(document.config::<K>()?, place, options)?;
    tell_findings::<K>(&plan, progress);
    Ok(plan)
}

/// What is not in order, and what is not read, before anything is spent.
pub(crate) fn tell_findings<K: Kind>(plan: &K::Plan, progress: Progress<'_>) {
    for words in K::texts(plan)
        .iter()
        .filter_map(|texts| left_out::words(texts))
    {
        progress.warn(&format!("warning: {words}"));
    }
    for finding in K::findings(plan) {
        tell(&finding, progress);
    }
}

/// Worth knowing before anything is spent.
fn tell(finding: &Finding, progress: Progress<'_>) {
    progress.facts(
        "guardrail",
        &json!({"id": finding.id, "status": finding.status, "detail": finding.detail}),
    );
    let word = match finding.status {
        Status::Violated => "violated",
        _ => "warning",
    };
    progress.note(&format!("{word} {}: {}", finding.id, finding.detail));
}

/// A folder that was made for this must be able to go again.
fn abandon(progress: Progress<'_>) {
    progress.tell(Event::Over);
    progress.tell(Event::Abandoned);
}

/// Attacks, judges, and writes all files or none.
pub(crate) fn conclude<K: Kind>(
    signals: K::Signals,
    out: Option<OutFolder>,
    extras: &[Extra],
    date: Option<&str>,
    progress: Progress<'_>,
) -> Result<Finished> {
    let attack = || {
        progress.check()?;
        let mut audit = K::attack(signals, progress)?;
        audit.report.provenance.date = date.map(str::to_owned);
        progress.check().map(|()| audit)
    };
    let audit = attack().inspect_err(|_| abandon(progress))?;
    progress.tell(Event::Over);
    progress.tell(Event::Writing);
    let files = match out {
        Some(out) => out.write(&audit, extras)?,
        None => Vec::new(),
    };
    Ok(Finished { audit, files })
}
