//! `guestlist audit`: judge signals that exist already.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use formats::shadow::ShadowTable;
use guestlist::kinds::classifier::audit::{DiagnosticsWanted, ShadowRequest, slicing};
use guestlist::kinds::rag::is_transcript;
use guestlist::pipeline::{Audit, Extra, OutFolder, Source, Wishes, read_members};
use guestlist::{Error, ExitCode};
use judge::gate::Rule;
use judge::verdict::Outcome;
use rayon::prelude::*;
use report::Inputs;
use serde_json::json;

use super::arguments::{self, AttackerWanted, AuditKind, GateRule, ThresholdRule};
use super::audit_fewshot;
use super::audit_probes;
use super::audit_scores;
use super::audit_tokens;
use super::console::Console;
use super::flags::refuse;
use super::interrupt;
use super::progress::Follower;

pub fn run(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    let kind = kind(options)?;
    if kind != AuditKind::Fewshot {
        audit_fewshot::refuse_own_flags(options)?;
    }
    match kind {
        AuditKind::Rag => audit_probes::run(options, console),
        AuditKind::Lm => audit_tokens::run(options, console),
        AuditKind::Fewshot => audit_fewshot::run(options, console),
        AuditKind::Scores => audit_scores::run(options, console),
        AuditKind::Shadow => shadow(options, console),
    }
}

/// What the input is: what was said, or else what it looks like.
fn kind(options: &arguments::Audit) -> Result<AuditKind, Error> {
    let format = options.format.is_some();
    match options.kind {
        Some(kind) if kind != AuditKind::Shadow => {
            refuse(&[(format, "--format")], |flag| {
                format!("{flag} names a layout of shadow signals, but --kind says otherwise")
            })?;
            Ok(kind)
        }
        Some(kind) => Ok(kind),
        None if !format && is_transcript(&options.signals) => Ok(AuditKind::Rag),
        None if !format && formats::tokens::recognise(&options.signals) => Ok(AuditKind::Lm),
        None if !format && formats::scores::recognise(&options.signals) => Ok(AuditKind::Scores),
        None => Ok(AuditKind::Shadow),
    }
}

fn shadow(options: &arguments::Audit, console: &Console) -> Result<ExitCode, Error> {
    audit_tokens::refuse_flags(options)?;
    let wishes = wishes(options)?;
    let granted = wishes.grant()?;
    let folder = options.out.as_deref().map(OutFolder::prepare).transpose()?;
    let _publishing = options
        .out
        .as_deref()
        .map(|out| console.published().begin_once(out));
    let table = formats::shadow::read(&options.signals, options.format.as_deref())?;
    let population = match &options.population {
        Some(path) => Some(formats::shadow::read(path, options.format.as_deref())?),
        None => None,
    };
    let members = match &options.members {
        Some(path) => Some(read_members(path, table.records(), table.ids.as_deref())?),
        None => None,
    };
    let slices = slicing::columns(&options.slice, &table, options.records.as_deref())?;
    if interrupt::asked() {
        return Err(Error::interrupted());
    }
    let named_files = [&options.members, &options.records];
    let inputs = inputs(&table, population.as_ref(), named_files)?;
    let again = command(options, true);
    let request = ShadowRequest {
        terms: wishes.terms(&granted, table.records(), options.seed, again, inputs),
        table,
        population,
        members,
        members_name: options
            .members
            .as_ref()
            .map_or_else(String::new, |p| p.display().to_string()),
        target: options.target,
        shadows: options.shadows,
        attacks: granted.attacks,
        replicates: options.replicates,
        scaling: options.scaling.clone(),
        diagnostics: DiagnosticsWanted {
            slices,
            ..DiagnosticsWanted::default()
        },
        training: None,
    };
    let audit = follow(request, console)?;
    conclude(&audit, folder, &extras(options), console)
}

/// Files that were asked for beyond the usual ones.
pub fn extras(options: &arguments::Audit) -> Vec<Extra> {
    let extras = [
        (options.figures, Extra::Figures),
        (options.junit, Extra::Junit),
        (options.markdown, Extra::Markdown),
        (options.sarif, Extra::Sarif),
    ];
    let asked = extras.iter().filter(|(asked, _)| *asked);
    asked.map(|(_, extra)| *extra).collect()
}

/// Runs an audit under a progress bar.
pub fn follow(request: ShadowRequest, console: &Console) -> Result<Audit, Error> {
    under_a_bar(console, |follower| request.run(follower))
}

/// Shows the progress of a piece of work.
pub fn under_a_bar<T>(
    console: &Console,
    work: impl FnOnce(&Follower) -> Result<T, Error>,
) -> Result<T, Error> {
    let follower = Follower::new(console);
    let done = work(&follower);
    follower.finish();
    done
}

/// Writes, prints, and turns the verdict into an exit code.
pub fn conclude(
    audit: &Audit,
    folder: Option<OutFolder>,
    extras: &[Extra],
    console: &Console,
) -> Result<ExitCode, Error> {
    // A folder made for this audit must be able to go again if its files cannot be written.
    console.published().withdraw_from_empty();
    if interrupt::asked() {
        return Err(Error::interrupted());
    }
    let mut files = Vec::new();
    if let Some(folder) = folder {
        files = folder.write(audit, extras)?;
    }
    if files.is_empty() {
        // Without a folder the numbers would be lost on a program that listens.
        console.event(&json!({"event": "report", "report": audit.report}));
    }
    let verdict = &audit.report.verdict;
    console.event(&json!({
        "event": "verdict", "outcome": verdict.outcome, "reasons": verdict.reasons,
        "files": files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
    }));
    console.text(&report::terminal(&audit.report, console.style()))?;
    for file in &files {
        console.note(&format!("wrote {}", file.display()));
    }
    Ok(match verdict.outcome {
        Outcome::Pass => ExitCode::Pass,
        Outcome::Fail => ExitCode::Fail,
        Outcome::Inconclusive => ExitCode::Inconclusive,
    })
}

/// What was asked of attacks and judge.
pub fn wishes(options: &arguments::Audit) -> Result<Wishes, Error> {
    let mut settings = BTreeMap::new();
    for pair in &options.settings {
        let Some((key, value)) = pair.split_once('=') else {
            return Err(Error::usage(
                format!("--set {pair} has no value"),
                "write --set key=value, such as --set rmia.gamma=2",
            ));
        };
        settings.insert(key.trim().to_owned(), value.trim().to_owned());
    }
    Ok(Wishes {
        attacks: options.attacks.clone(),
        settings,
        replicates: options.replicates,
        scaling: options.scaling.clone(),
        slices: options.slice.clone(),
        fpr: options.fpr.clone(),
        gate: match options.gate {
            GateRule::Point => Rule::Point,
            GateRule::Conservative => Rule::Conservative,
            GateRule::Proven => Rule::Proven,
        },
        measure: options.measure.clone(),
        threshold: options.threshold,
        holdout: options.holdout,
        attacker: options.attacker.into(),
        force: options.force,
        show_records: options.show_records,
        confidence: options.confidence,
        delta: options.delta,
        bootstrap: options.bootstrap,
        source: Source::CommandLine,
    })
}

/// Name and digest of every file that was read.
fn inputs(
    table: &ShadowTable,
    population: Option<&ShadowTable>,
    named: [&Option<PathBuf>; 2],
) -> Result<Vec<Inputs>, Error> {
    let further = population
        .into_iter()
        .flat_map(|table| table.sources.iter());
    let paths: Vec<&Path> = table
        .sources
        .iter()
        .chain(further)
        .chain(named.into_iter().flatten())
        .map(|path| path.as_path())
        .collect();
    paths
        .into_par_iter()
        .map(|path| {
            Ok(Inputs {
                path: path.display().to_string(),
                sha256: formats::files::sha256(path)?,
            })
        })
        .collect()
}

/// The command that gives this report again. What does not change it (threads, output) is left
/// out, so that equal audits have equal reports.
pub fn command(options: &arguments::Audit, has_target: bool) -> String {
    let mut text = format!(
        "guestlist audit {}",
        quoted(&options.signals.display().to_string())
    );
    let mut add = |flag: &str, value: String| {
        let _ = write!(text, " --{flag} {}", quoted(&value));
    };
    if let Some(kind) = options.kind {
        let kind = match kind {
            AuditKind::Shadow => "shadow",
            AuditKind::Lm => "lm",
            AuditKind::Rag => "rag",
            AuditKind::Fewshot => "fewshot",
            AuditKind::Scores => "scores",
        };
        add("kind", kind.into());
    }
    if let Some(format) = &options.format {
        add("format", format.clone());
    }
    if has_target {
        add("target", options.target.to_string());
    }
    if let Some(shadows) = options.shadows {
        add("shadows", shadows.to_string());
    }
    if options.attacks != "all" {
        add("attacks", options.attacks.clone());
    }
    for setting in &options.settings {
        add("set", setting.clone());
    }
    for (flag, path) in [
        ("members", &options.members),
        ("population", &options.population),
        ("records", &options.records),
        ("training-file", &options.training_file),
    ] {
        if let Some(path) = path {
            add(flag, path.display().to_string());
        }
    }
    if !options.shots.is_empty() {
        add("shots", list(&options.shots));
    }
    for (flag, count) in [
        ("runs", options.runs),
        ("validation", options.validation),
        ("query", options.query),
    ] {
        if let Some(count) = count {
            add(flag, count.to_string());
        }
    }
    if let Some(rule) = options.thresholds {
        let rule = match rule {
            ThresholdRule::Validation => "validation",
            ThresholdRule::Query => "query",
            ThresholdRule::Published => "published",
        };
        add("thresholds", rule.into());
    }
    if let Some(layer) = &options.layer {
        add("layer", layer.clone());
    }
    for checkpoint in &options.checkpoints {
        add("checkpoint", checkpoint.clone());
    }
    if !options.checkpoints.is_empty() {
        add("label", options.label.clone());
    }
    if options.replicates > 0 {
        add("replicates", options.replicates.to_string());
    }
    if !options.scaling.is_empty() {
        add("scaling", list(&options.scaling));
    }
    if !options.slice.is_empty() {
        add("slice", options.slice.join(","));
    }
    add("fpr", list(&options.fpr));
    add("measure", options.measure.clone());
    let gate = match options.gate {
        GateRule::Point => "point",
        GateRule::Conservative => "conservative",
        GateRule::Proven => "proven",
    };
    add("gate", gate.into());
    if options.attacker == AttackerWanted::TargetOnly {
        add("attacker", "target-only".into());
    }
    if let Some(threshold) = options.threshold {
        add("threshold", threshold.to_string());
    }
    add("confidence", options.confidence.to_string());
    add("delta", options.delta.to_string());
    if let Some(bootstrap) = options.bootstrap {
        add("bootstrap", bootstrap.to_string());
    }
    add("seed", options.seed.to_string());
    for (asked, flag) in [
        (options.holdout, " --holdout"),
        (options.force, " --force"),
        (options.show_records, " --show-records"),
    ] {
        if asked {
            text += flag;
        }
    }
    text
}

fn list<T: ToString>(values: &[T]) -> String {
    values
        .iter()
        .map(T::to_string)
        .collect::<Vec<_>>()
        .join(",")
}

/// The word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=@:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
