//! `guestlist canaries`: draws canaries, and looks whether training would see them.

use guestlist::canaries::check::{Check, Finding, Outcome, Status};
use guestlist::canaries::{Drawn, Kind, Role, check, draw_classifier, draw_lm};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{Canaries, CanariesCheck, CanariesClassifier, CanariesLm};
use super::console::Console;
use super::progress::follow;

pub fn run(options: &Canaries, console: &Console) -> Result<ExitCode, Error> {
    match options {
        Canaries::Lm(options) => lm(options, console),
        Canaries::Classifier(options) => classifier(options, console),
        Canaries::Check(options) => checked(options, console),
    }
}

fn lm(options: &CanariesLm, console: &Console) -> Result<ExitCode, Error> {
    let drawn = follow(console, |progress| draw_lm(&options.asked(), progress))?;
    told(&drawn, console)
}

fn classifier(options: &CanariesClassifier, console: &Console) -> Result<ExitCode, Error> {
    let drawn = follow(console, |progress| {
        draw_classifier(&options.asked(), progress)
    })?;
    told(&drawn, console)
}

/// What was written, what was found, and what comes next.
fn told(drawn: &Drawn, console: &Console) -> Result<ExitCode, Error> {
    let manifest = &drawn.manifest;
    for note in &drawn.notes {
        console.warn(&format!("note: {note}"));
    }
    let of = |role: Role| Ok::<_, Error>(manifest.place(role)?.display().to_string());
    let (training, canaries) = (of(Role::Training)?, of(Role::Canaries)?);
    let path = manifest.path.display();
    console.note(&format!(
        "wrote {training}: your own rows and the canaries that their coins chose; train on it"
    ));
    let scored = match manifest.kind {
        Kind::Lm => canaries,
        Kind::Classifier => of(Role::Records)?,
    };
    console.note(&format!(
        "wrote {scored}: all {} canaries, chosen or not; score them after training",
        manifest.canaries
    ));
    console.note(&format!(
        "wrote {}: who was chosen, for the judge alone; keep it from whoever trains or scores",
        of(Role::Truth)?
    ));
    console.note(&format!("wrote {path}: the seal"));
    console.event(&json!({
        "event": "canaries", "manifest": path.to_string(), "kind": manifest.kind,
        "canaries": manifest.canaries, "designs": manifest.designs, "tiers": manifest.tiers,
        "files": drawn.files, "notes": drawn.notes,
    }));
    let code = match &drawn.check {
        Some(check) => found(check, console)?,
        None => ExitCode::Pass,
    };
    let first = match (&drawn.check, manifest.kind) {
        (None, Kind::Lm) => format!("guestlist canaries check {path} --tokenizer MODEL; then "),
        _ => String::new(),
    };
    console.note(&format!(
        "Next: {first}train on {training}, score {scored}, and guestlist audit SIGNALS --canaries {path}"
    ));
    Ok(code)
}

fn checked(options: &CanariesCheck, console: &Console) -> Result<ExitCode, Error> {
    let settings = options.treatment.asked();
    let done = follow(console, |progress| {
        check(&options.manifest, &settings, progress)
    })?;
    found(&done, console)
}

/// The findings as a table of their own, and the exit code that they amount to.
fn found(check: &Check, console: &Console) -> Result<ExitCode, Error> {
    for finding in &check.findings {
        console.event(&json!({"event": "finding", "finding": finding}));
    }
    console.event(&json!({
        "event": "check", "outcome": check.outcome, "canaries": check.canaries,
        "invisible": check.invisible, "not_checked": check.not_checked,
    }));
    let line = verdict(check);
    let lines = check.findings.iter().map(shown);
    let rest = match check.not_checked.is_empty() {
        true => String::new(),
        false => format!("  not looked for: {}\n", check.not_checked.join(", ")),
    };
    let text = format!("{line}\n{}{rest}", lines.collect::<String>());
    console.report(&text, &line)?;
    Ok(match check.outcome {
        Outcome::Visible => ExitCode::Pass,
        Outcome::Invisible | Outcome::Unknown => ExitCode::Inconclusive,
    })
}

fn verdict(check: &Check) -> String {
    let (all, invisible) = (check.canaries, check.invisible);
    match check.outcome {
        Outcome::Visible => format!("VISIBLE: training as described sees all {all} canaries"),
        Outcome::Invisible => format!(
            "INVISIBLE: training as described does not see {invisible} of {all} canaries as they were drawn"
        ),
        Outcome::Unknown => {
            "UNKNOWN: how training cuts the canaries is not known; name its tokenizer with --tokenizer"
                .to_owned()
        }
    }
}

fn shown(finding: &Finding) -> String {
    let mark = match finding.status {
        Status::Ok => "ok",
        Status::Warn => "warn",
        Status::Violated => "violated",
    };
    let line = format!("  {mark:<9} {}: {}\n", finding.trap, finding.detail);
    match finding.remedy {
        Some(remedy) => format!("{line}            remedy: {remedy}\n"),
        None => line,
    }
}
