//! Reports that were written earlier, and everything that they can be rendered as.

use std::path::{Path, PathBuf};

use attacks::card::{Access, Card};
use formats::files::sha256_of;
use report::{AnnexContext, Family, KnownAttack, Report, Style};

use crate::kinds;
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
    /// For a data protection officer or an assessor, as Markdown.
    Annex,
    /// The same as a page, set for A4.
    AnnexHtml,
    /// A section of a Hugging Face model card, with its metadata.
    ModelCard,
    /// A CycloneDX bill of materials.
    CycloneDx,
}

/// A report, and the digest of the file that it lies in.
pub struct Stored {
    pub report: Report,
    pub sha256: String,
}

/// Reads a report from an audit's folder, or from the file itself.
pub fn read(place: &Path) -> Result<Report> {
    open(place).map(|stored| stored.report)
}

/// The same with its digest.
pub fn open(place: &Path) -> Result<Stored> {
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
    let report = Report::from_json(&text).map_err(|problem| {
        Error::usage(
            format!("{name}: {problem}"),
            "audit again with `guestlist audit --out`",
        )
    })?;
    Ok(Stored {
        report,
        sha256: sha256_of(text.as_bytes()),
    })
}

impl Stored {
    /// The report in one of its forms.
    pub fn render(&self, format: Format) -> Result<String> {
        rendered(&self.report, format, Some(&self.sha256))
    }
}

/// The same of a report that was just made, and lies nowhere yet or as it would be written.
pub fn render(report: &Report, format: Format) -> Result<String> {
    let annex = matches!(format, Format::Annex | Format::AnnexHtml);
    let sha256 = match annex {
        true => Some(sha256_of(rendered(report, Format::Json, None)?.as_bytes())),
        false => None,
    };
    rendered(report, format, sha256.as_deref())
}

fn rendered(report: &Report, format: Format, sha256: Option<&str>) -> Result<String> {
    match format {
        Format::Terminal(style) => Ok(report::terminal(report, style)),
        Format::Json => report.to_json().map_err(|error| broken(&error)),
        Format::Html => Ok(report::html(report)),
        Format::Markdown => Ok(report::markdown(report)),
        Format::Junit => report::junit(report).map_err(|error| broken(&error)),
        Format::Sarif => report::sarif(report).map_err(|error| broken(&error)),
        Format::Annex => Ok(report::annex(report, &context(report, sha256))),
        Format::AnnexHtml => Ok(report::annex_html(report, &context(report, sha256))),
        Format::ModelCard => Ok(report::model_card(report)),
        Format::CycloneDx => report::cyclonedx(report).map_err(|error| broken(&error)),
    }
}

/// What an annex says beside the report: every attack that there is on the kind of target.
fn context(report: &Report, sha256: Option<&str>) -> AnnexContext {
    let kind = kinds::find(report.kind());
    let usual = (kind.usual)();
    let known = |card: &Card| KnownAttack {
        id: card.id.to_owned(),
        summary: card.summary.to_owned(),
        needs: card.access.to_string(),
        paper: card.paper.to_owned(),
        family: family(card, kind.kind),
        usual: usual.contains(&card.id),
    };
    AnnexContext {
        attacks: (kind.cards)().into_iter().map(known).collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        report_sha256: sha256.map(str::to_owned),
    }
}

/// Attacks that ask about a changed record as well.
const PERTURBING: [&str; 3] = ["dcmi", "lm-lowercase", "sma"];

/// How an attack goes about it. Sources are told apart by changing what is asked.
fn family(card: &Card, kind: report::Kind) -> Family {
    match card.access {
        _ if kind == report::Kind::Source || PERTURBING.contains(&card.id) => Family::Perturbations,
        Access::AnyShadow | Access::OutShadows | Access::InAndOutShadows => Family::Shadows,
        Access::TargetOnly
        | Access::Tokens(_)
        | Access::Exchanges
        | Access::Features
        | Access::FeaturesAndWeights => Family::Outputs,
    }
}

pub(crate) fn broken(error: &dyn std::fmt::Display) -> Error {
    Error::usage(
        format!("the report cannot be rendered: {error}"),
        "this is a fault of guestlist: please report it",
    )
}
