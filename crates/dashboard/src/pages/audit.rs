//! One audit: the verdict and why, its attacks, its files, and where to look further.

use std::path::Path;

use ::report::Report;
use ::report::blocks::html::{content, table};
use ::report::blocks::{Cell, Table};
use ::report::markup::{lines, text};
use ::report::progress::State;
use judge::guardrails::{Finding, Status};
use maud::{Markup, html};

use crate::folder::files::{Listed, list};
use crate::folder::{CONFIGURATION, REPORT};
use crate::http::problem::Problem;
use crate::http::query::encoded;
use crate::library::{self, Audited, Measure, Summary, named};
use crate::runs::LOG;
use crate::time::{bytes, moment, seconds};

use super::App;
use super::layout::{self, Place};
use super::numbers::{count, reading, status, verdict};
use super::running;

/// Measures that are shown of every attack.
const SHOWN: [Measure; 5] = [
    Measure::Auc,
    Measure::Tpr(0.01),
    Measure::Tpr(0.001),
    Measure::LogMiaA,
    Measure::Epsilon,
];

pub fn page(app: &App, place: &[String]) -> Result<String, Problem> {
    let folder = app.root.audit(place)?;
    let path = place.join("/");
    let name = named(&path, &app.root);
    let file = app.root.known_file(&folder, REPORT);
    let told = html! {
        @match file.map(|file| library::report(&file)) {
            None => p { "There is no report yet." },
            Some(Ok(report)) => (told(app, &report, &summary(app, &path, &folder), place, &folder)),
            Some(Err(problem)) => p class="problem" { (REPORT) " " (text(&problem)) },
        }
    };
    let body = html! {
        p class="trail" { a href=(app.site.to("/")) { "Audits" } " /" }
        h1 { (text(name)) }
        (progress(app, &path))
        (buttons(app, &folder, place, &path))
        (said(app, &folder))
        div data-live id="told" { (told) }
        (files(app, &folder, place))
        div data-events={ (text(&app.site.audit(place))) "events" } {}
    };
    Ok(layout::page(&app.site, name, Place::Audits, &body))
}

/// What lists know about it; read here where the library has not come to it yet.
fn summary(app: &App, path: &str, folder: &Path) -> Option<std::sync::Arc<Summary>> {
    let known = app.library.audit(path);
    let about = std::fs::metadata(folder.join(REPORT)).ok()?;
    let version = library::Version::from_metadata(&about);
    let found = || {
        let path = path.to_owned();
        std::sync::Arc::new(Summary::read(&app.root, &library::Found { path, version }))
    };
    Some(
        known
            .filter(|known| known.version == version)
            .unwrap_or_else(found),
    )
}

fn progress(app: &App, path: &str) -> Markup {
    let one = app.live.one(path);
    let one = one.filter(|one| one.state != State::Finished);
    html! {
        ul class="running" id="running" data-live {
            @if let Some(one) = one { (running::line(path, &one, app)) }
        }
    }
}

/// Only where visitors may start audits.
fn buttons(app: &App, folder: &Path, place: &[String], path: &str) -> Markup {
    let Some(runs) = &app.runs else {
        return html! {};
    };
    let runs = runs.running().iter().any(|one| one == path);
    html! {
        div id="buttons" data-live {
            @if runs {
                (button(app, place, "stop", "Stop"))
            } @else if folder.join(CONFIGURATION).is_file() {
                (button(app, place, "run", "Run"))
            }
        }
    }
}

fn button(app: &App, place: &[String], action: &str, words: &str) -> Markup {
    html! {
        form class="action" method="post" action={ (text(&app.site.audit(place))) (action) } {
            input type="hidden" name="forgery" value=(app.forgery);
            button { (words) }
        }
    }
}

/// The end of what the last run said.
fn said(app: &App, folder: &Path) -> Markup {
    let log = app
        .root
        .known_file(folder, LOG)
        .filter(|_| app.runs.is_some());
    let said = log.and_then(|log| tail(&log).ok());
    html! {
        div id="said" data-live {
            @if let Some(said) = said {
                details open { summary { "What the last run said" } pre { (lines(&said)) } }
            }
        }
    }
}

fn tail(log: &Path) -> std::io::Result<String> {
    use std::io::{Read, Seek, SeekFrom};
    const SHOWN: u64 = 2000;
    let mut file = std::fs::File::open(log)?;
    let size = file.metadata()?.len();
    file.seek(SeekFrom::Start(size.saturating_sub(SHOWN)))?;
    let mut bytes = Vec::new();
    file.take(SHOWN).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn told(
    app: &App,
    report: &Report,
    summary: &Option<std::sync::Arc<Summary>>,
    place: &[String],
    folder: &Path,
) -> Markup {
    let (audit, itself) = (
        text(&app.site.audit(place)),
        format!("/{}", place.join("/")),
    );
    html! {
        p class="large" { (content(&verdict(report.verdict.outcome))) }
        @if report.verdict.forced { p { "Forced past a violated guardrail." } }
        ul { @for reason in &report.verdict.reasons { li { (text(reason)) } } }
        p class="links" {
            a class="button" href={ (audit) "report" } { "Full report" }
            @if folder.join("scores.parquet").is_file() {
                a class="button" href={ (audit) "records" } { "Records" }
            }
            a class="button" href={ (app.site.to("/compare?a=")) (text(&encoded(&itself))) } { "Compare with…" }
        }
        (facts(report, summary))
        (guardrails(report))
        (attacks(summary))
        (notes(report))
    }
}

fn facts(report: &Report, summary: &Option<std::sync::Arc<Summary>>) -> Markup {
    let data = &report.provenance.data;
    let modified = summary.as_ref().map_or_else(String::new, |summary| {
        moment(seconds(summary.version.modified))
    });
    let date = report.provenance.date.clone();
    let date = date.unwrap_or_else(|| "the report does not say".into());
    let rows = [
        ("Target", report.kind().to_string()),
        ("Records judged", count(data.judged_records)),
        ("Members among them", count(data.judged_members)),
        ("Seed", report.provenance.seed.to_string()),
        ("Version", report.provenance.version.clone()),
        ("Date", date),
        ("File written (UTC)", modified),
    ];
    html! {
        dl class="facts" {
            @for (name, value) in rows { div { dt { (name) } dd { (text(&value)) } } }
            div class="wide" { dt { "Command" } dd { (text(&report.provenance.command)) } }
        }
    }
}

fn guardrails(report: &Report) -> Markup {
    let (ok, other): (Vec<_>, Vec<_>) = report
        .guardrails
        .iter()
        .partition(|finding| finding.status == Status::Ok);
    html! {
        h2 { "Guardrails" }
        @if other.is_empty() {
            p { "No guardrail warns." }
        } @else {
            (table(&findings("Guardrails that warn", &other)))
        }
        @if !ok.is_empty() {
            details {
                summary { (ok.len()) " in order" }
                (table(&findings("Guardrails in order", &ok)))
            }
        }
    }
}

fn findings(caption: &str, findings: &[&Finding]) -> Table {
    let row = |finding: &&Finding| -> Vec<Cell> {
        vec![
            finding.id.as_str().into(),
            status(finding.status),
            finding.detail.as_str().into(),
        ]
    };
    let heads = ["Guardrail", "Status", "What was found"];
    Table::new(caption, &heads, findings.iter().map(row).collect())
}

fn attacks(summary: &Option<std::sync::Arc<Summary>>) -> Markup {
    let audited = summary
        .as_ref()
        .and_then(|summary| summary.audited.as_ref().ok());
    let Some(audited) = audited.filter(|audited| !audited.attacks.is_empty()) else {
        return html! {};
    };
    let mut ids: Vec<&str> = audited.attacks.iter().map(|(id, _)| id.as_str()).collect();
    let auc = |id: &str| {
        let found = audited.reading(Some(id), Measure::Auc);
        found.map_or(f64::NEG_INFINITY, |(_, auc)| auc.value)
    };
    ids.sort_by(|a, b| auc(b).total_cmp(&auc(a)));
    let words: Vec<String> = SHOWN.iter().map(|measure| measure.label()).collect();
    let mut heads = vec!["Attack"];
    heads.extend(words.iter().map(String::as_str));
    let rows = ids.into_iter().map(|id| attack(audited, id)).collect();
    html! {
        h2 { "Attacks" }
        (table(&Table::new("Attacks, strongest first", &heads, rows)))
    }
}

fn attack(audited: &Audited, id: &str) -> Vec<Cell> {
    let name = match audited.gated.as_deref() == Some(id) {
        true => Cell::from(id).tagged("decides"),
        false => id.into(),
    };
    let of = |measure: Measure| match audited.reading(Some(id), measure) {
        Some((_, one)) => reading(one),
        None => "–".into(),
    };
    std::iter::once(name).chain(SHOWN.map(of)).collect()
}

fn notes(report: &Report) -> Markup {
    html! {
        @if !report.notes.is_empty() {
            h2 { "Notes" }
            ul { @for note in &report.notes { li { (text(note)) } } }
        }
    }
}

fn files(app: &App, folder: &Path, place: &[String]) -> Markup {
    let listing = list(folder);
    let row = |file: &Listed| {
        let address = format!("{}file?name={}", app.site.audit(place), encoded(&file.name));
        vec![
            Cell::link(address, file.name.as_str()),
            bytes(file.size).into(),
        ]
    };
    let rows = listing.files.iter().map(row).collect();
    html! {
        h2 { "Files" }
        (table(&Table::new("Files", &["File", "Size"], rows)))
        @if listing.cut { p { "There are more files in this folder." } }
    }
}
