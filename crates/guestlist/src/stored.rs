//! Reports that were written earlier, and everything that they can be rendered as.

use std::path::{Path, PathBuf};

use report::{Report, Style};

use crate::{Error, Result};

/// What a report is rendered as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// As the command line prints it.
    Terminal(Style),
    /// `report.json`.
    Json,
    /// One page that needs no network.
    Html,
    /// For a pull request.
    Markdown,
    /// For continuous integration.
    Junit,
    /// For code scanning.
    Sarif,
}

/// Reads a report from an audit's folder, or from the file itself.
pub fn read(place: &Path) -> Result<Report> {
    const HINT: &str = "give the folder that `guestlist audit --out` wrote, or its report.json";
    let path: PathBuf = match place.is_dir() {
        true => place.join("report.json"),
        false => place.into(),
    };
    let name = path.display();
    if path.exists() && !path.is_file() {
        // A pipe would keep whoever opens it waiting.
        return Err(Error::usage(format!("{name}: is not a file"), HINT));
    }
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::usage(format!("{name}: cannot be read: {error}"), HINT))?;
    Report::from_json(&text).map_err(|problem| {
        Error::usage(
            format!("{name}: {problem}"),
            "audit again with `guestlist audit --out`",
        )
    })
}

/// The report in one of its forms.
pub fn render(report: &Report, format: Format) -> Result<String> {
    match format {
        Format::Terminal(style) => Ok(report::terminal(report, style)),
        Format::Json => report.to_json().map_err(|error| broken(&error)),
        Format::Html => Ok(report::html(report)),
        Format::Markdown => Ok(report::markdown(report)),
        Format::Junit => report::junit(report).map_err(|error| broken(&error)),
        Format::Sarif => report::sarif(report).map_err(|error| broken(&error)),
    }
}

pub(crate) fn broken(error: &dyn std::fmt::Display) -> Error {
    Error::usage(
        format!("the report cannot be rendered: {error}"),
        "this is a fault of guestlist: please report it",
    )
}
