//! `guestlist report`: render a stored report again.

use std::path::{Path, PathBuf};

use guestlist::pipeline::write_figures;
use guestlist::{Error, ExitCode};
use report::Report;
use serde_json::json;

use super::arguments::{Render, RenderFormat};
use super::console::Console;

pub fn run(options: &Render, console: &Console) -> Result<ExitCode, Error> {
    let report = read(&options.dir)?;
    let broken = |error: String| {
        Error::usage(
            format!("the report cannot be rendered: {error}"),
            "audit again",
        )
    };
    let text = match options.format {
        RenderFormat::Terminal => report::terminal(&report, console.style()),
        RenderFormat::Json => report
            .to_json()
            .map_err(|error| broken(error.to_string()))?,
        RenderFormat::Html => report::html(&report),
        RenderFormat::Markdown => report::markdown(&report),
        RenderFormat::Sarif => report::sarif(&report).map_err(|error| broken(error.to_string()))?,
        RenderFormat::Junit => report::junit(&report).map_err(|error| broken(error.to_string()))?,
    };
    let files = match options.figures {
        true => write_figures(folder(&options.dir), &report)?,
        false => Vec::new(),
    };
    if console.is_json() {
        let files = files.iter().map(|file| file.display().to_string());
        let files: Vec<String> = files.collect();
        console.event(&json!({"event": "report", "text": text, "files": files}));
    } else {
        console.data(&text)?;
    }
    for file in &files {
        console.note(&format!("wrote {}", file.display()));
    }
    Ok(ExitCode::Pass)
}

/// Where a report lies.
fn folder(place: &Path) -> &Path {
    match place.parent() {
        Some(parent) if !place.is_dir() => parent,
        _ => place,
    }
}

/// Reads a report from an audit's folder, or from the file itself.
pub fn read(place: &Path) -> Result<Report, Error> {
    let path: PathBuf = if place.is_dir() {
        place.join("report.json")
    } else {
        place.into()
    };
    let name = path.display();
    if path.exists() && !path.is_file() {
        // A pipe would keep whoever opens it waiting.
        return Err(Error::usage(
            format!("{name}: is not a file"),
            "give the folder that `guestlist audit --out` wrote, or its report.json",
        ));
    }
    let text = std::fs::read_to_string(&path).map_err(|error| {
        Error::usage(
            format!("{name}: cannot be read: {error}"),
            "give the folder that `guestlist audit --out` wrote, or its report.json",
        )
    })?;
    Report::from_json(&text).map_err(|problem| {
        Error::usage(
            format!("{name}: {problem}"),
            "audit again with `guestlist audit --out`",
        )
    })
}
