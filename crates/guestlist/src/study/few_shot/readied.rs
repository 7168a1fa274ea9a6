//! Data of which everything was read, and checked as far as it can be before an attack.

use std::path::Path;

use base::Progress;
use formats::features::SORTED;

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
    let whole = whole(subject, &usual, progress)?;
    let mut layers = Vec::new();
    for layer in layers_of(path)? {
        let asked = few_shot(path, layer, &usual, request);
        let read = Fewshot::read(path, &asked, progress)?;
        read.design
            .check(&read.subject.truth)
            .map_err(|error| error.within_file(path))?;
        if let (Some(whole), [], Some(shadows)) = (&whole, &layers[..], &subject.shadows) {
            check_same(path, &read, shadows, whole)?;
        }
        layers.push(read);
    }
    Ok(Readied {
        name: subject.studied.name.clone(),
        target,
        layers,
        whole,
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
    progress: Progress<'_>,
) -> Result<Option<ShadowRequest>> {
    let path = &subject.studied.path;
    match &subject.shadows {
        Some(shadows) => {
            usual.refuse_pipes(shadows)?;
            shadow_request(shadows, usual, progress).map(Some)
        }
        None if shadows::features::is_run(path) => shadow_request(path, usual, progress).map(Some),
        None => match shadow_request(path, usual, progress) {
            Ok(request) => Ok(Some(request)),
            Err(error) => {
                let (name, option) = (&subject.studied.name, "--shadows");
                progress.note(&format!(
                    "{name}: {} are left out, for they are no shadow signals ({}); {option} {name}=FILE names some",
                    WHOLE.join(" and "),
                    error.message
                ));
                Ok(None)
            }
        },
    }
}

fn shadow_request(
    path: &Path,
    usual: &AuditRequest,
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
    if !table.members_known && asked.members.is_none() {
        return Err(Error::usage(
            format!("{}: it does not say who was a member", path.display()),
            "store keep [models, records] beside the outputs",
        ));
    }
    table
        .signals(asked.target, table.models() - 1)
        .map_err(|error| error.within_file(path))?;
    // One that cannot run here is told of on the page.
    request.context.named = false;
    Ok(request)
}

/// Two files that are said to be of the same model.
fn check_same(
    path: &Path,
    features: &EpisodeRequest,
    shadows: &Path,
    whole: &ShadowRequest,
) -> Result<()> {
    let (data, other) = (path.display(), shadows.display());
    let (truth, table, target) = (&features.subject.truth, &whole.table, whole.target);
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
    let open = table.unknown_of(target);
    let own = &table.members[target];
    let differs = |(record, member): &(usize, bool)| {
        !open.is_some_and(|open| open.get(*record)) && own.get(*record) != *member
    };
    let listed = whole.members.is_some();
    match truth.known().find(differs).filter(|_| !listed) {
        None => Ok(()),
        Some((record, _)) => Err(Error::usage(
            format!(
                "{other}: model {target} has other members than in {data}, such as record {record}"
            ),
            "model N of one file must be model N of the other, and the records must be in the same order",
        )),
    }
}
