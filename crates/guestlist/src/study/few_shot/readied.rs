//! Data of which everything was read, and checked as far as it can be before an attack.

use std::path::Path;

use base::Progress;
use formats::features::SORTED;
use judge::Truth;

use super::{FewShotRequest, Subject};
use crate::kinds::Kind;
use crate::kinds::classifier::Classifier;
use crate::kinds::classifier::attack::ShadowRequest;
use crate::kinds::fewshot::Fewshot;
use crate::kinds::fewshot::attack::EpisodeRequest;
use crate::pipeline::{AuditOptions, AuditRequest, Source, found};
use crate::{Error, Result};

/// Attacks that see every record, beside those that know a handful.
pub(super) const WHOLE: [&str; 2] = ["loss", "understudy"];
/// Where the model itself is at hand, the third changes its weights, whatever the features.
const WITHOUT_WEIGHTS: &str = "fes-ss,fes-ls";

/// One model, ready to be attacked.
pub struct Readied {
    pub(super) name: String,
    pub(super) target: usize,
    /// Few-shot attacks, layer by layer.
    pub(super) layers: Vec<EpisodeRequest>,
    /// Attacks that see all, where the data allow them.
    pub(super) whole: Option<ShadowRequest>,
    /// Somebody named the signals of these.
    pub(super) asked_for_whole: bool,
}

/// Reads every model that was asked for.
pub fn read(
    subject: &Subject,
    request: &FewShotRequest,
    progress: Progress<'_>,
) -> Result<Vec<Readied>> {
    let targets = subject.targets.iter();
    targets
        .map(|&target| read_one(subject, target, request, progress))
        .collect()
}

fn read_one(
    subject: &Subject,
    target: usize,
    request: &FewShotRequest,
    progress: Progress<'_>,
) -> Result<Readied> {
    let path = &subject.studied.path;
    let usual = AuditRequest {
        seed: request.seed,
        target,
        members: subject.members.clone(),
        command: request.command.clone(),
        options: AuditOptions {
            source: Source::CommandLine,
            ..AuditOptions::default()
        },
        ..AuditRequest::default()
    };
    usual.refuse_pipes(path)?;
    let mut layers = Vec::new();
    for layer in layers_of(path)? {
        let asked = few_shot(path, layer, &usual, request);
        let read = Fewshot::read(path, &asked, progress)?;
        read.design
            .check(&read.subject.truth)
            .map_err(|error| error.within_file(path))?;
        layers.push(read);
    }
    let whole = match layers.first() {
        Some(first) => whole(subject, &usual, &first.subject.truth, progress)?,
        None => None,
    };
    Ok(Readied {
        name: subject.studied.name.clone(),
        target,
        layers,
        whole,
        asked_for_whole: subject.shadows.is_some(),
    })
}

/// Layers that are worth an attack: of a run's models those that need no guess about their inside.
fn layers_of(path: &Path) -> Result<Vec<Option<&'static str>>> {
    match shadows::features::is_run(path) {
        true => Ok(vec![Some("logits"), Some(SORTED)]),
        false => formats::features::layers(path),
    }
}

fn few_shot(
    path: &Path,
    layer: Option<&str>,
    usual: &AuditRequest,
    request: &FewShotRequest,
) -> AuditRequest {
    let at_hand = shadows::features::is_run(path);
    let attacks = match at_hand && layer == Some(SORTED) {
        true => WITHOUT_WEIGHTS.to_owned(),
        false => usual.options.attacks.clone(),
    };
    AuditRequest {
        kind: Some(report::Kind::Fewshot),
        shots: request.shots.clone(),
        runs: Some(request.runs),
        layer: layer.map(str::to_owned),
        options: AuditOptions {
            attacks,
            ..usual.options.clone()
        },
        ..usual.clone()
    }
}

/// From the signals that were named, or from data that are shadow signals themselves.
fn whole(
    subject: &Subject,
    usual: &AuditRequest,
    truth: &Truth,
    progress: Progress<'_>,
) -> Result<Option<ShadowRequest>> {
    let path = &subject.studied.path;
    if let Some(shadows) = &subject.shadows {
        usual.refuse_pipes(shadows)?;
        return shadow_request(shadows, path, usual, truth, progress).map(Some);
    }
    match shadow_request(path, path, usual, truth, progress) {
        Ok(request) => Ok(Some(request)),
        Err(error) if shadows::features::is_run(path) => Err(error),
        Err(error) => {
            let name = &subject.studied.name;
            progress.note(&format!(
                "{name}: {} are left out, for these are no shadow signals ({}); --shadows {name}=FILE names some",
                WHOLE.join(" and "),
                error.message
            ));
            Ok(None)
        }
    }
}

/// Signals at `path`, of the records whose truth is told by `data`.
fn shadow_request(
    path: &Path,
    data: &Path,
    usual: &AuditRequest,
    truth: &Truth,
    progress: Progress<'_>,
) -> Result<ShadowRequest> {
    let asked = AuditRequest {
        kind: Some(report::Kind::Classifier),
        options: AuditOptions {
            attacks: WHOLE.join(","),
            ..usual.options.clone()
        },
        ..usual.clone()
    };
    let input = found::within(path, &asked, progress)?;
    let mut request = Classifier::read(&input, &asked, progress)?;
    let table = &request.table;
    table
        .signals(request.target, table.models() - 1)
        .map_err(|error| error.within_file(path))?;
    check_same(path, data, &request, truth)?;
    // Of one model, the data may be the only ones to know.
    if !request.table.members_known && request.members.is_none() {
        request.members = Some(truth.iter().collect());
    }
    // An attack that cannot run here is told of on the page.
    request.context.named = false;
    Ok(request)
}

/// Two files that are said to be of the same model.
fn check_same(path: &Path, data: &Path, request: &ShadowRequest, truth: &Truth) -> Result<()> {
    let (other, data) = (path.display(), data.display());
    let (table, target) = (&request.table, request.target);
    if truth.len() != table.records() {
        return Err(Error::usage(
            format!(
                "{other}: has {} records, but {data} has {}",
                table.records(),
                truth.len()
            ),
            "both must be of the same records, in the same order",
        ));
    }
    if !table.members_known || request.members.is_some() {
        return Ok(());
    }
    let (own, open) = (&table.members[target], table.unknown_of(target));
    let known = |record: usize| !open.is_some_and(|open| open.get(record));
    let differs = |(record, member): &(usize, bool)| known(*record) && own.get(*record) != *member;
    match truth.known().find(differs) {
        None => Ok(()),
        Some((record, _)) => Err(Error::usage(
            format!(
                "{other}: model {target} has other members than in {data}, such as record {record}"
            ),
            "model N of one file must be model N of the other, and the records must be in the same order",
        )),
    }
}
