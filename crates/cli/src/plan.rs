//! `guestlist plan`: what a run would do.

use std::path::Path;

use guestlist::pipeline;
use guestlist::{Error, ErrorKind, ExitCode};
use serde_json::json;

use super::arguments::Plan;
use super::console::Console;
use super::progress::follow;
use super::recorded::quoted;

/// How every manifest of ours begins.
const OURS: &str = "# Written by `guestlist plan --kubernetes`";

pub fn run(options: &Plan, console: &Console) -> Result<ExitCode, Error> {
    if let Some(path) = file(options) {
        check_file(path)?;
    }
    if let Some(path) = &options.questions {
        check_absent(path)?;
    }
    let asked = pipeline::RunOptions {
        questions: options.questions.is_some(),
        max_requests: options.max_requests,
        kubernetes: options.kubernetes.is_some(),
        ..options.configured.asked()
    };
    let config = &options.configured.config;
    let estimate = follow(console, |progress| {
        let estimate = pipeline::plan(config, &asked, progress)?;
        progress.facts("plan", &estimate.facts);
        Ok(estimate)
    })?;
    match (&estimate.manifest, file(options)) {
        (Some(manifest), None) => console.text(manifest)?,
        (Some(manifest), Some(path)) => {
            formats::files::write(path, manifest.as_bytes())?;
            console.text(&estimate.to_string())?;
            console.event(&json!({"event": "manifest", "path": path}));
            console.note(&format!("wrote {}", path.display()));
        }
        (None, _) => console.text(&estimate.to_string())?,
    }
    if let (Some(questions), Some(path)) = (&estimate.questions, &options.questions) {
        formats::files::write(path, questions.as_bytes())?;
        let count = questions.lines().count();
        console.event(&json!({"event": "questions", "path": path, "questions": count}));
        console.note(&format!(
            "wrote {} with {count} questions; have each answered in its row, as \"answer\" with \"sources\" where \
             there are any, then: guestlist audit {} --config {}",
            path.display(),
            quoted(&path.display().to_string()),
            quoted(&config.display().to_string())
        ));
    }
    Ok(ExitCode::Pass)
}

/// Somebody's answers may be in it.
fn check_absent(path: &Path) -> Result<(), Error> {
    match path.exists() {
        false => Ok(()),
        true => Err(Error::new(ErrorKind::Exists, "is there already")
            .at(path)
            .hint("name another file, or remove it")),
    }
}

/// Where the manifest goes, unless it goes to standard output.
fn file(options: &Plan) -> Option<&Path> {
    let path = options.kubernetes.as_deref()?;
    (path != Path::new("-")).then_some(path)
}

/// A manifest may be written anew; what somebody else wrote stays.
fn check_file(path: &Path) -> Result<(), Error> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Ok(text) if text.starts_with(OURS) => Ok(()),
        _ => Err(Error::new(
            ErrorKind::Exists,
            "is there already, and is no manifest of ours",
        )
        .at(path)
        .hint("name another file, or remove it")),
    }
}
