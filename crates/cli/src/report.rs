//! `guestlist report`: render a stored report again.

use std::path::Path;

use guestlist::pipeline::write_figures;
pub use guestlist::stored::read;
use guestlist::stored::{Format, render};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{Render, RenderFormat};
use super::console::Console;

pub fn run(options: &Render, console: &Console) -> Result<ExitCode, Error> {
    let report = read(&options.dir)?;
    let format = match options.format {
        RenderFormat::Terminal => Format::Terminal(console.style()),
        RenderFormat::Json => Format::Json,
        RenderFormat::Html => Format::Html,
        RenderFormat::Markdown => Format::Markdown,
        RenderFormat::Sarif => Format::Sarif,
        RenderFormat::Junit => Format::Junit,
    };
    let text = render(&report, format)?;
    let files = match options.figures {
        true => write_figures(folder(&options.dir), &report)?,
        false => Vec::new(),
    };
    if console.is_quiet() && options.format == RenderFormat::Terminal {
        console.report(&text, &report::verdict_line(&report))?;
    } else if console.is_json() {
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
