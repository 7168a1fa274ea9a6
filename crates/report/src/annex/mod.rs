//! The annex: what a data protection officer or an assessor needs of an audit in one document, as Markdown
//! and as a page set for A4. It explains its own words, says what was not tried as plainly as what was, and
//! claims compliance with nothing. No record is named in it and no text shown.
//!
//! One file per part; parts are made of blocks, so that both forms say the same.

mod attackers;
mod detail;
mod evidence;
mod glossary;
mod ground;
mod guardrails;
mod guidance;
mod limits;
mod page;
mod parts;
mod result;
mod sizes;
mod subject;
mod threat;
mod thresholds;
mod words;

use crate::blocks::markdown::markdown as rendered;
use crate::document::Report;
use crate::subject::named;
use crate::text::markdown as escape;
use parts::{Part, parts};

/// What stands over it.
const TITLE: &str = "Annex: test for membership inference";
/// What it is not; before everything else.
const DISCLAIMER: &str = "This annex documents one technical test and its limits. It is not a \
    statement of compliance with any law, standard or guideline, not legal advice and not a certificate.";

/// Before the guidance of a part.
const RELATED: &str = "Related guidance (that it is named does not mean that it is satisfied)";

/// What the program that renders knows beside the report.
#[derive(Clone, Debug, Default)]
pub struct AnnexContext {
    /// Every attack that there is on this kind of target; none where the scores were made elsewhere.
    pub attacks: Vec<KnownAttack>,
    /// Of the program that renders, which need not be the one that audited.
    pub version: String,
    /// Of `report.json`, where it lies on a disk or is as it would be written.
    pub report_sha256: Option<String>,
}

/// An attack in words, whether it ran or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownAttack {
    pub id: String,
    /// In one line.
    pub summary: String,
    pub needs: String,
    pub paper: String,
    pub family: Family,
    /// Runs where none is named.
    pub usual: bool,
}

/// How an attack goes about it, as testing guides tell attacks apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Looks at what the audited model or service says.
    Outputs,
    /// Compares that with models trained for the purpose.
    Shadows,
    /// Changes what is asked, and looks at what changes in the answers.
    Perturbations,
}

/// What a part is made from.
struct Material<'a> {
    report: &'a Report,
    context: &'a AnnexContext,
}

/// The annex as Markdown.
pub fn annex(report: &Report, context: &AnnexContext) -> String {
    let report = &report.clone().without_records().without_places();
    let parts = parts(&Material { report, context });
    let mut text = format!(
        "# {TITLE}\n\n**{}**\n\n{DISCLAIMER}\n",
        escape(&subtitle(report))
    );
    for (place, part) in parts.iter().enumerate() {
        text += &section(place + 1, part);
    }
    text
}

/// The annex as a page that needs no network and runs no script.
pub fn annex_html(report: &Report, context: &AnnexContext) -> String {
    let report = &report.clone().without_records().without_places();
    let parts = parts(&Material { report, context });
    page::page(report, &parts)
}

fn section(number: usize, part: &Part) -> String {
    let guidance = match part.guidance {
        "" => String::new(),
        guidance => format!("\n*{RELATED}: {guidance}*\n"),
    };
    let body = rendered(&part.blocks);
    format!("\n## {number}. {}\n{guidance}{body}", part.title)
}

/// Of what, and of which day.
fn subtitle(report: &Report) -> String {
    match &report.provenance.date {
        Some(date) => format!("{}, {date}", named(report)),
        None => named(report),
    }
}
