//! One audit: the verdict and why, its attacks, its files, and where to look further.

use std::path::Path;

use ::report::Report;
use ::report::progress::State;
use judge::guardrails::Status;

use crate::folder::files::list;
use crate::folder::{CONFIGURATION, REPORT};
use crate::http::post::link;
use crate::http::problem::Problem;
use crate::http::query::encoded;
use crate::library::{self, Measure, Summary, named};
use crate::markup::{Html, html, lines};
use crate::runs::LOG;
use crate::time::{bytes, moment, seconds};

use super::App;
use super::layout::{self, Place, table};
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
    let told = match file {
        None => html!("<p>There is no report yet.</p>"),
        Some(file) => match library::report(&file) {
            Ok(report) => told(&report, &summary(app, &path, &folder), place, &folder),
            Err(problem) => html!("<p class=\"problem\">{} {}</p>", REPORT, problem),
        },
    };
    let body = html!(
        "<p class=\"trail\"><a href=\"/\">Audits</a> /</p><h1>{}</h1>{}{}{}<div data-live id=\"told\">{}</div>{}\
         <div data-events=\"{}events\"></div>",
        name,
        progress(app, &path),
        buttons(app, &folder, place, &path),
        said(app, &folder),
        told,
        files(&folder, place),
        link(place)
    );
    Ok(layout::page(name, Place::Audits, &body))
}

/// What lists know about it; read here where the library has not come to it yet.
fn summary(app: &App, path: &str, folder: &Path) -> Option<std::sync::Arc<Summary>> {
    let known = app.library.audit(path);
    let about = std::fs::metadata(folder.join(REPORT)).ok()?;
    let version = library::Version::of(&about);
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

fn progress(app: &App, path: &str) -> Html {
    let one = app
        .live
        .one(path)
        .filter(|one| one.state != State::Finished);
    let line = one.map_or_else(Html::default, |one| running::line(path, &one, &app.root));
    html!(
        "<ul class=\"running\" id=\"running\" data-live>{}</ul>",
        line
    )
}

/// Only where visitors may start audits.
fn buttons(app: &App, folder: &Path, place: &[String], path: &str) -> Html {
    let Some(runs) = &app.runs else {
        return Html::default();
    };
    let button = |action: &str, words: &str| {
        html!(
            "<form class=\"action\" method=\"post\" action=\"{}{}\"><input type=\"hidden\" name=\"forgery\" value=\"{}\">\
             <button>{}</button></form>",
            link(place),
            action,
            app.forgery,
            words
        )
    };
    let button = match (
        runs.running().iter().any(|one| one == path),
        folder.join(CONFIGURATION).is_file(),
    ) {
        (true, _) => button("stop", "Stop"),
        (false, true) => button("run", "Run"),
        (false, false) => Html::default(),
    };
    html!("<div id=\"buttons\" data-live>{}</div>", button)
}

/// The end of what the last run said.
fn said(app: &App, folder: &Path) -> Html {
    let log = app
        .root
        .known_file(folder, LOG)
        .filter(|_| app.runs.is_some());
    let text = log.and_then(|log| tail(&log).ok());
    let inside = text.map_or_else(Html::default, |text| {
        html!(
            "<details open><summary>What the last run said</summary><pre>{}</pre></details>",
            lines(&text)
        )
    });
    html!("<div id=\"said\" data-live>{}</div>", inside)
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
    report: &Report,
    summary: &Option<std::sync::Arc<Summary>>,
    place: &[String],
    folder: &Path,
) -> Html {
    let reasons: Html = report
        .verdict
        .reasons
        .iter()
        .map(|reason| html!("<li>{}</li>", reason))
        .collect();
    let forced = match report.verdict.forced {
        true => html!("<p>Forced past a violated guardrail.</p>"),
        false => Html::default(),
    };
    let records = match folder.join("scores.parquet").is_file() {
        true => html!(
            "<a class=\"button\" href=\"{}records\">Records</a>",
            link(place)
        ),
        false => Html::default(),
    };
    html!(
        "<p class=\"large\">{}</p>{}<ul>{}</ul>\
         <p class=\"links\"><a class=\"button\" href=\"{}report\">Full report</a>{}\
         <a class=\"button\" href=\"/compare?a={}\">Compare with…</a></p>{}{}{}{}",
        verdict(report.verdict.outcome),
        forced,
        reasons,
        link(place),
        records,
        encoded(&format!("/{}", place.join("/"))),
        facts(report, summary),
        guardrails(report),
        attacks(summary),
        notes(report)
    )
}

fn facts(report: &Report, summary: &Option<std::sync::Arc<Summary>>) -> Html {
    let data = &report.provenance.data;
    let modified = summary.as_ref().map_or_else(String::new, |summary| {
        moment(seconds(summary.version.modified))
    });
    let rows = [
        ("Target", report.kind().to_string()),
        ("Records judged", count(data.judged_records)),
        ("Members among them", count(data.judged_members)),
        ("Seed", report.provenance.seed.to_string()),
        ("Version", report.provenance.version.clone()),
        ("Report written (UTC)", modified),
    ];
    let rows: Html = rows
        .iter()
        .map(|(name, value)| html!("<div><dt>{}</dt><dd>{}</dd></div>", *name, value))
        .collect();
    let command = html!(
        "<div class=\"wide\"><dt>Command</dt><dd>{}</dd></div>",
        report.provenance.command
    );
    html!("<dl class=\"facts\">{}{}</dl>", rows, command)
}

fn guardrails(report: &Report) -> Html {
    let row = |finding: &judge::guardrails::Finding| {
        html!(
            "<tr><td>{}</td><th scope=\"row\">{}</th><td>{}</td></tr>",
            status(finding.status),
            finding.id,
            finding.detail
        )
    };
    let heads = ["Status", "Guardrail", "What was found"];
    let (ok, other): (Vec<_>, Vec<_>) = report
        .guardrails
        .iter()
        .partition(|finding| finding.status == Status::Ok);
    let other: Html = other.into_iter().map(row).collect();
    let shown = match other == Html::default() {
        true => html!("<p>No guardrail warns.</p>"),
        false => table("Guardrails that warn", &heads, &other),
    };
    let folded = match ok.is_empty() {
        true => Html::default(),
        false => {
            let number = ok.len();
            let rows: Html = ok.into_iter().map(row).collect();
            html!(
                "<details><summary>{} in order</summary>{}</details>",
                number,
                table("Guardrails in order", &heads, &rows)
            )
        }
    };
    html!("<h2>Guardrails</h2>{}{}", shown, folded)
}

fn attacks(summary: &Option<std::sync::Arc<Summary>>) -> Html {
    let audited = summary
        .as_ref()
        .and_then(|summary| summary.audited.as_ref().ok());
    let Some(audited) = audited.filter(|audited| !audited.attacks.is_empty()) else {
        return Html::default();
    };
    let value = |id: &str, measure| audited.reading(Some(id), measure);
    let mut ids: Vec<&str> = audited.attacks.iter().map(|(id, _)| id.as_str()).collect();
    let auc = |id: &str| value(id, Measure::Auc).map_or(f64::NEG_INFINITY, |(_, auc)| auc.value);
    ids.sort_by(|a, b| auc(b).total_cmp(&auc(a)));
    let rows: Html = ids
        .iter()
        .map(|id| {
            let cells: Html = SHOWN
                .iter()
                .map(|measure| {
                    let shown =
                        value(id, *measure).map_or_else(|| html!("–"), |(_, one)| reading(one));
                    html!("<td class=\"number\">{}</td>", shown)
                })
                .collect();
            let decides = match audited.gated.as_deref() == Some(*id) {
                true => html!(" <span class=\"tag\">decides</span>"),
                false => Html::default(),
            };
            html!(
                "<tr><th scope=\"row\">{}{}</th>{}</tr>",
                *id,
                decides,
                cells
            )
        })
        .collect();
    let words: Vec<String> = SHOWN.iter().map(|measure| measure.words()).collect();
    let mut heads = vec!["Attack"];
    heads.extend(words.iter().map(String::as_str));
    html!(
        "<h2>Attacks</h2>{}",
        table("Attacks, strongest first", &heads, &rows)
    )
}

fn notes(report: &Report) -> Html {
    let notes: Html = report
        .notes
        .iter()
        .map(|note| html!("<li>{}</li>", note))
        .collect();
    match notes == Html::default() {
        true => notes,
        false => html!("<h2>Notes</h2><ul>{}</ul>", notes),
    }
}

fn files(folder: &Path, place: &[String]) -> Html {
    let listing = list(folder);
    let rows: Html = listing
        .files
        .iter()
        .map(|file| {
            html!(
                "<tr><th scope=\"row\"><a href=\"{}file?name={}\" download>{}</a></th><td class=\"number\">{}</td></tr>",
                link(place),
                encoded(&file.name),
                file.name,
                bytes(file.size)
            )
        })
        .collect();
    let more = match listing.cut {
        true => html!("<p>There are more files in this folder.</p>"),
        false => Html::default(),
    };
    html!(
        "<h2>Files</h2>{}{}",
        table("Files", &["File", "Size"], &rows),
        more
    )
}
