//! Two audits side by side: what rose, what differs, and whether that is more than noise.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ::report::blocks::html::{content, table};
use ::report::blocks::{Cell, Part, Table, cells};
use ::report::markup::text;
use ::report::{Difference, Report};
use judge::AttackMeasures;
use judge::guardrails::Finding;
use judge::p_value;
use maud::{Markup, html};

use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::library::{Measure, Reading, Summary, named, readings};

use super::App;
use super::layout::{self, Place, option};
use super::numbers::{reading, status, value, verdict};
use super::running::parts;

/// One of the two.
struct Side {
    path: String,
    report: Report,
}

pub fn page(app: &App, query: &Query) -> Result<String, Problem> {
    let (a, b) = asked(app, query);
    let (Some(a), Some(b)) = (a.clone(), b.clone()) else {
        return Ok(layout::page(
            &app.site,
            "Compare",
            Place::Compare,
            &choose(app, a.or(b)),
        ));
    };
    let (a, b) = (side(app, &a)?, side(app, &b)?);
    let found = (app.compare)(&a.report, &b.report);
    let body = html! {
        h1 { "Compare" }
        (choice(app, Some(&a.path), Some(&b.path)))
        (verdicts(app, &a, &b))
        (difference(&found))
        (measures(&a.report, &b.report, found.as_ref().ok()))
        (guardrails(&a.report, &b.report))
        (differing(&a.report, &b.report))
    };
    Ok(layout::page(&app.site, "Compare", Place::Compare, &body))
}

/// As `a` and `b`, or as two ticks in the list, of which the older is the earlier one. Folders begin
/// with a slash, so that the root has a name.
fn asked(app: &App, query: &Query) -> (Option<String>, Option<String>) {
    let path = |text: &str| text.trim_matches('/').to_owned();
    let mut ticked: Vec<String> = query.all("run").map(path).take(2).collect();
    ticked.sort_by_key(|path| {
        let audit = app.library.audit(path);
        audit.map(|audit| (audit.day(), audit.version.modified))
    });
    let mut ticked = ticked.into_iter();
    let a = query.get("a").map(path).or_else(|| ticked.next());
    let b = query.get("b").map(path).or_else(|| ticked.next());
    (a, b)
}

fn side(app: &App, path: &str) -> Result<Side, Problem> {
    let place = parts(path);
    place
        .iter()
        .try_for_each(|part| crate::folder::address::check(part))?;
    Ok(Side {
        report: app.report(&place)?,
        path: path.to_owned(),
    })
}

fn choose(app: &App, known: Option<String>) -> Markup {
    html! {
        h1 { "Compare" }
        p { "Which two? The earlier one first." }
        (choice(app, known.as_deref(), None))
    }
}

fn choice(app: &App, a: Option<&str>, b: Option<&str>) -> Markup {
    let audits: Vec<Arc<Summary>> = app.library.audits();
    let mut audits: Vec<&Arc<Summary>> = audits
        .iter()
        .filter(|audit| audit.audited.is_ok())
        .collect();
    audits.sort_by(|a, b| b.order().cmp(&a.order()));
    let options = |chosen: Option<&str>| {
        html! {
            option value="" { "choose…" }
            @for audit in &audits {
                @let here = chosen == Some(audit.path.as_str());
                (option(&format!("/{}", audit.path), audit.name(&app.root), here))
            }
        }
    };
    html! {
        form class="filters" method="get" action=(app.site.to("/compare")) {
            label { "Earlier" select name="a" { (options(a)) } }
            label { "Later" select name="b" { (options(b)) } }
            button { "Compare" }
        }
    }
}

fn verdicts(app: &App, a: &Side, b: &Side) -> Markup {
    html! {
        div class="sides" {
            @for (title, side) in [("Earlier", a), ("Later", b)] {
                @let found = &side.report.verdict;
                section class="side" {
                    h2 {
                        (title) ": "
                        a href=(text(&app.site.audit(&parts(&side.path)))) {
                            (text(named(&side.path, &app.root)))
                        }
                    }
                    p class="large" { (content(&verdict(found.outcome))) }
                    p { (text(found.reasons.first().map_or("", String::as_str))) }
                }
            }
        }
    }
}

fn difference(found: &Result<Difference, String>) -> Markup {
    html! {
        h2 { "Did leakage rise?" }
        @match found {
            Ok(found) => {
                p class="large" { (content(&verdict(found.outcome))) }
                p { (text(&found.reason)) }
                ul { @for remark in &found.remarks { li { (text(remark)) } } }
            }
            Err(problem) => p class="problem" { "It cannot be told: " (text(problem)) },
        }
    }
}

/// Of every attack that both have; the one that decided is in sight, the others are folded.
fn measures(a: &Report, b: &Report, found: Option<&Difference>) -> Markup {
    let later: BTreeMap<&str, Vec<(Measure, Reading)>> = b
        .attacks
        .iter()
        .map(|attack| (attack.id.as_str(), readings(attack)))
        .collect();
    let decided: BTreeSet<&str> = [a, b]
        .iter()
        .filter_map(|report| report.verdict.gate.as_ref())
        .map(|gate| gate.attack.as_str())
        .collect();
    let both = a.attacks.iter();
    let both = both.filter(|attack| later.contains_key(attack.id.as_str()));
    let (first, others): (Vec<_>, Vec<_>) =
        both.partition(|attack| decided.contains(attack.id.as_str()));
    let order: Vec<&AttackMeasures> = first.into_iter().chain(others).collect();
    html! {
        h2 { "Measures" }
        @if order.is_empty() { p { "The two have no attack in common." } }
        @for attack in order {
            @let id = attack.id.as_str();
            details open[decided.contains(id)] {
                summary { (text(id)) }
                (of_attack(attack, &later[id], found))
            }
        }
    }
}

fn of_attack(
    attack: &AttackMeasures,
    later: &[(Measure, Reading)],
    found: Option<&Difference>,
) -> Markup {
    let both = readings(attack)
        .into_iter()
        .filter_map(|(measure, before)| {
            let (_, after) = later.iter().find(|(other, _)| *other == measure)?;
            Some(row(&attack.id, measure, before, *after, found))
        });
    let heads = ["Measure", "Earlier", "Later", "Difference", "Beyond noise?"];
    let caption = format!("Measures of {}", attack.id);
    table(&Table::new(&caption, &heads, both.collect()))
}

fn row(
    attack: &str,
    measure: Measure,
    before: Reading,
    after: Reading,
    found: Option<&Difference>,
) -> Vec<Cell> {
    let name = measure.name();
    let change = found.and_then(|found| {
        let mut changes = found.changes.iter();
        let change = changes.find(|one| one.attack == attack && one.measure == name)?;
        let (rise, fall) = (change.is_rise(found.level), change.is_fall(found.level));
        Some((rise, fall, change.corrected()?))
    });
    let by = after.value - before.value;
    let beyond = match change {
        Some((rise, fall, p)) if rise || fall => {
            let (class, sign, words) = match rise {
                true => ("fail", "▲", "a rise".to_owned()),
                false => ("pass", "▼", "a fall".to_owned()),
            };
            let change = Part::Sign { class, sign, words };
            Cell {
                parts: vec![change, Part::Words(format!(" ({})", p_value(p, 2)))],
                below: Vec::new(),
            }
        }
        Some((_, _, p)) => format!("no (p {p:.3})").into(),
        None => "not tested".into(),
    };
    let sign = if by > 0.0 { "+" } else { "" };
    let by = Cell::number(by, format!("{sign}{}", value(by)));
    vec![
        measure.label().into(),
        reading(before),
        reading(after),
        by,
        beyond,
    ]
}

fn guardrails(a: &Report, b: &Report) -> Markup {
    let ids: BTreeSet<&str> = [a, b]
        .iter()
        .flat_map(|report| &report.guardrails)
        .map(|finding| finding.id.as_str())
        .collect();
    let find = |report: &Report, id: &str| -> Option<Finding> {
        report.guardrails.iter().find(|one| one.id == id).cloned()
    };
    let both = ids.into_iter().map(|id| (id, find(a, id), find(b, id)));
    let found = |found: Option<Finding>| match found {
        Some(found) => {
            let mut cell = status(found.status);
            cell.parts.push(Part::Words(format!(" {}", found.detail)));
            cell
        }
        None => "not looked at".into(),
    };
    let differ = both.filter(|(_, before, after)| before != after);
    let rows = differ.map(|(id, before, after)| vec![id.into(), found(before), found(after)]);
    let rows: Vec<Vec<Cell>> = rows.collect();
    section(
        "Guardrails that differ",
        &["Guardrail", "Earlier", "Later"],
        rows,
        "All guardrails say the same.",
    )
}

/// Settings and inputs.
fn differing(a: &Report, b: &Report) -> Markup {
    let settings = |report: &Report| -> BTreeMap<String, String> {
        let provenance = &report.provenance;
        let mut all = provenance.settings.clone();
        all.insert("seed".into(), provenance.seed.to_string());
        all.insert("version".into(), provenance.version.clone());
        all.insert("command".into(), provenance.command.clone());
        all.insert("records".into(), provenance.data.judged_records.to_string());
        let counts = report.detail.counts().into_iter();
        all.extend(counts.map(|(key, count)| (key.to_owned(), count.to_string())));
        all
    };
    let settings = rows(&settings(a), &settings(b));
    let inputs = rows(&inputs(a), &inputs(b));
    html! {
        (section(
            "Settings that differ",
            &["Setting", "Earlier", "Later"],
            settings,
            "All settings are the same."
        ))
        (section(
            "Inputs that differ",
            &["File", "Earlier (SHA-256)", "Later (SHA-256)"],
            inputs,
            "All inputs are the same."
        ))
    }
}

/// By name alone where that is enough, so that the same file in another folder is the same file.
fn inputs(report: &Report) -> BTreeMap<String, String> {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let inputs = &report.provenance.inputs;
    let alone = |path: &str| {
        let same = inputs
            .iter()
            .filter(|other| name(&other.path) == name(path));
        same.count() == 1
    };
    inputs
        .iter()
        .map(|input| match alone(&input.path) {
            true => (name(&input.path), input.known_by()),
            false => (input.path.clone(), input.known_by()),
        })
        .collect()
}

fn rows(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<Vec<Cell>> {
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differ = keys.into_iter().filter(|key| a.get(*key) != b.get(*key));
    let shown = |value: Option<&String>| value.map_or("–", String::as_str).to_owned();
    differ
        .map(|key| cells(&[key.clone(), shown(a.get(key)), shown(b.get(key))]))
        .collect()
}

fn section(title: &str, heads: &[&str], rows: Vec<Vec<Cell>>, none: &str) -> Markup {
    html! {
        h2 { (title) }
        @if rows.is_empty() { p { (none) } } @else { (table(&Table::new(title, heads, rows))) }
    }
}
