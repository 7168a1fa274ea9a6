//! `guestlist audit`: judge signals that exist already.

use std::collections::BTreeMap;
use std::path::PathBuf;

use guestlist::pipeline::{self, AuditOptions, AuditRequest, ClaimSettings, Extra, Source};
use guestlist::{Error, ExitCode};

use super::arguments::{Audit, MechanismName};
use super::console::Console;
use super::progress::follow;
use super::verdict::conclude;

pub fn run(options: Audit, command: String, console: &Console) -> Result<ExitCode, Error> {
    let (signals, request) = request(options, command)?;
    let audited = follow(console, |progress| {
        pipeline::audit(&signals, &request, progress)
    })?;
    conclude(&audited, console)
}

/// Every option has its place: a forgotten one does not compile.
fn request(options: Audit, command: String) -> Result<(PathBuf, AuditRequest), Error> {
    let Audit {
        signals,
        kind,
        format,
        target,
        shadows,
        attacks,
        settings,
        members,
        unknown,
        canaries,
        training_file,
        shadow,
        documents,
        config,
        checkpoints,
        label,
        shots,
        runs,
        validation,
        query,
        thresholds,
        layer,
        population,
        replicates,
        scaling,
        slice,
        group,
        join,
        records,
        fpr,
        gate,
        measure,
        threshold,
        policy,
        claim_epsilon,
        claim_delta,
        claim_mechanism,
        holdout,
        attacker,
        force,
        show_records,
        confidence,
        delta,
        call_level,
        log_mia_fp,
        bootstrap,
        subject,
        date,
        seed,
        out,
        figures,
        junit,
        markdown,
        sarif,
    } = options;
    let extras = [
        (figures, Extra::Figures),
        (junit, Extra::Junit),
        (markdown, Extra::Markdown),
        (sarif, Extra::Sarif),
    ];
    let asked = extras.into_iter().filter(|(asked, _)| *asked);
    let request = AuditRequest {
        kind,
        options: AuditOptions {
            attacks,
            settings: key_values(&settings)?,
            replicates,
            scaling,
            slices: slice,
            group,
            join: join.map(Into::into),
            fpr,
            gate: gate.into(),
            measure,
            threshold,
            policy,
            claim: claim(claim_epsilon, claim_delta, claim_mechanism)?,
            holdout,
            attacker: attacker.into(),
            force,
            show_records,
            confidence,
            delta,
            call_level,
            log_mia_fp,
            bootstrap,
            subject,
            source: Source::CommandLine,
        },
        seed,
        command,
        date: Some(date),
        format,
        target,
        shadows,
        members,
        unknown,
        canaries,
        population,
        records,
        documents,
        config,
        training_file,
        shadow,
        checkpoints: labelled_files(&checkpoints)?,
        label,
        shots,
        runs,
        validation,
        query,
        thresholds: thresholds.map(Into::into),
        layer,
        out,
        extras: asked.map(|(_, extra)| extra).collect(),
    };
    Ok((signals, request))
}

/// An ε and its δ: one means nothing without the other.
fn claim(
    epsilon: Option<f64>,
    delta: Option<f64>,
    mechanism: Option<MechanismName>,
) -> Result<Option<ClaimSettings>, Error> {
    match (epsilon, delta) {
        (None, None) if mechanism.is_some() => Err(Error::usage(
            "--claim-mechanism has no claim",
            "add it, such as --claim-epsilon 4 --claim-delta 1e-5, or leave it out",
        )),
        (None, None) => Ok(None),
        (Some(epsilon), Some(delta)) => Ok(Some(ClaimSettings {
            epsilon,
            delta,
            mechanism: mechanism.map(Into::into),
            settings_tried: None,
        })),
        (Some(_), None) => Err(Error::usage(
            "--claim-epsilon has no δ",
            "add it: --claim-delta 1e-5",
        )),
        (None, Some(_)) => Err(Error::usage(
            "--claim-delta has no ε",
            "add it, such as --claim-epsilon 1, or leave both out",
        )),
    }
}

fn key_values(pairs: &[String]) -> Result<BTreeMap<String, String>, Error> {
    let parse = |pair: &String| match pair.split_once('=') {
        Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
        None => Err(Error::usage(
            format!("--set {pair} has no value"),
            "write --set key=value, such as --set rmia.gamma=2",
        )),
    };
    pairs.iter().map(parse).collect()
}

fn labelled_files(pairs: &[String]) -> Result<Vec<(String, PathBuf)>, Error> {
    let parse = |pair: &String| match pair.split_once('=') {
        Some((label, path)) if !label.is_empty() && !path.is_empty() => {
            Ok((label.to_owned(), PathBuf::from(path)))
        }
        _ => Err(Error::usage(
            format!("--checkpoint {pair} is not a label and a file"),
            "write --checkpoint 1000=tokens-1000.parquet",
        )),
    };
    pairs.iter().map(parse).collect()
}
