//! `guestlist report`: render a stored report again.

use std::path::Path;

use guestlist::evidence::has_changed;
use guestlist::pipeline::write_figures;
pub use guestlist::stored::read;
use guestlist::stored::{Format, open};
use guestlist::{Error, ExitCode};
use serde_json::json;

use super::arguments::{Render, RenderFormat};
use super::console::Console;

pub fn run(options: &Render, console: &Console) -> Result<ExitCode, Error> {
    if let Some(path) = &options.out {
        refuse_binary(path)?;
    }
    let stored = open(&options.dir)?;
    if has_changed(folder(&options.dir), "report.json") {
        console.warn(
            "report.json is not as the audit wrote it: its digest in SHA256SUMS is another; \
             `guestlist verify` says more",
        );
    }
    let text = stored.render(format(options, console))?;
    let mut files = match options.figures {
        true => write_figures(folder(&options.dir), &stored.report)?,
        false => Vec::new(),
    };
    if let Some(path) = &options.out {
        formats::files::write(path, text.as_bytes())?;
        files.push(path.clone());
    }
    if console.is_quiet() && options.format == RenderFormat::Terminal {
        console.report(&text, &report::verdict_line(&stored.report))?;
    } else if console.is_json() {
        let files = files.iter().map(|file| file.display().to_string());
        let files: Vec<String> = files.collect();
        console.event(&json!({"event": "report", "text": text, "files": files}));
    } else if options.out.is_none() {
        console.data(&text)?;
    }
    for file in &files {
        console.note(&format!("wrote {}", file.display()));
    }
    Ok(ExitCode::Pass)
}

/// Everything that is rendered here is text; a PDF is what a browser prints.
fn refuse_binary(path: &Path) -> Result<(), Error> {
    let ending = path.extension().unwrap_or_default();
    let text = !["pdf", "docx", "png"]
        .iter()
        .any(|binary| ending.eq_ignore_ascii_case(binary));
    match text {
        true => Ok(()),
        false => Err(Error::usage(
            format!("{}: no such file can be made here", path.display()),
            "write a page, such as `--format annex -o annex.html`, and print it to PDF from a browser",
        )),
    }
}

fn format(options: &Render, console: &Console) -> Format {
    let page = options.out.as_ref().is_some_and(|path| {
        let ending = path.extension().unwrap_or_default();
        ending.eq_ignore_ascii_case("html") || ending.eq_ignore_ascii_case("htm")
    });
    match options.format {
        RenderFormat::Terminal => Format::Terminal(console.style()),
        RenderFormat::Json => Format::Json,
        RenderFormat::Html => Format::Html,
        RenderFormat::Markdown => Format::Markdown,
        RenderFormat::Sarif => Format::Sarif,
        RenderFormat::Junit => Format::Junit,
        RenderFormat::Annex if page => Format::AnnexHtml,
        RenderFormat::Annex => Format::Annex,
        RenderFormat::AnnexHtml => Format::AnnexHtml,
        RenderFormat::ModelCard => Format::ModelCard,
        RenderFormat::Cyclonedx => Format::CycloneDx,
    }
}

/// Where a report lies.
fn folder(place: &Path) -> &Path {
    match place.parent() {
        Some(parent) if !place.is_dir() => parent,
        _ => place,
    }
}
