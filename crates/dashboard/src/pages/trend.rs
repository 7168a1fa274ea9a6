//! A measure across audits, from the oldest to the newest.

use std::collections::BTreeSet;
use std::sync::Arc;

use ::report::blocks::html::table;
use ::report::blocks::{Cell, Table};
use ::report::figures::{Trend, TrendPoint, trend};
use ::report::markup::{drawing, text};
use maud::{Markup, html};

use crate::http::query::Query;
use crate::library::{Measure, Reading, Summary};

use super::App;
use super::layout::{self, Place, select};
use super::list::{self, is_kind};
use super::numbers::{number, reading};
use super::running::parts;

/// More audits than this do not fit in one picture; the newest are shown.
const MOST: usize = 200;

struct Shown {
    audit: Arc<Summary>,
    attack: String,
    reading: Reading,
    /// What the measure was held against, where it was.
    threshold: Option<f64>,
}

pub fn page(app: &App, query: &Query) -> String {
    let audits = app.library.audits();
    let measure = query
        .get("measure")
        .and_then(Measure::parse)
        .unwrap_or(Measure::Auc);
    let attack = query.get("attack").filter(|attack| *attack != "gated");
    let kind = query.get("kind").unwrap_or_default();
    let mut shown: Vec<Shown> = audits
        .iter()
        .filter(|audit| kind.is_empty() || is_kind(audit, kind))
        .filter_map(|audit| {
            let audited = audit.audited.as_ref().ok()?;
            let (id, reading) = audited.reading(attack, measure)?;
            let attack = id.to_owned();
            Some(Shown {
                threshold: audited.threshold(measure),
                audit: audit.clone(),
                attack,
                reading,
            })
        })
        .collect();
    shown.sort_by(|a, b| a.audit.order().cmp(&b.audit.order()));
    let all = shown.len();
    shown.drain(..all.saturating_sub(MOST));
    let body = html! {
        h1 { "Trend" }
        (form(app, &audits, query, measure))
        p class="tally" role="status" { (text(&tally(all, &shown, measure))) }
        (picture(app, &shown, measure))
        (rows(app, &shown, measure))
    };
    layout::page(&app.site, "Trend", Place::Trend, &body)
}

fn tally(all: usize, shown: &[Shown], measure: Measure) -> String {
    let held = match shown.iter().any(|one| one.threshold.is_some()) {
        true => "; the threshold that it was held against is red",
        false => "",
    };
    let shown = shown.len();
    let chance = measure.chance().map_or(String::new(), |chance| {
        format!("; guessing gives {chance} (dashed)")
    });
    match (all, all > shown) {
        (0, _) => format!("No audit here has {}", measure.label()),
        (_, true) => format!(
            "{} of the newest {shown} of {all} audits{chance}{held}",
            measure.label()
        ),
        (_, false) => format!("{} of {all} audits{chance}{held}", measure.label()),
    }
}

fn form(app: &App, audits: &[Arc<Summary>], query: &Query, measure: Measure) -> Markup {
    let mut ids = BTreeSet::new();
    let mut rates: Vec<f64> = Vec::new();
    for audited in audits
        .iter()
        .filter_map(|audit| audit.audited.as_ref().ok())
    {
        for (id, readings) in &audited.attacks {
            ids.insert(id.clone());
            for (known, _) in readings {
                if let Measure::Tpr(rate) = known
                    && !rates.contains(rate)
                {
                    rates.push(*rate);
                }
            }
        }
    }
    rates.sort_by(f64::total_cmp);
    let mut measures = vec![Measure::Auc];
    measures.extend(rates.into_iter().map(Measure::Tpr));
    measures.extend([
        Measure::LogMiaA,
        Measure::LogMiaB,
        Measure::BalancedAccuracy,
        Measure::Advantage,
        Measure::Epsilon,
    ]);
    let measures: Vec<_> = measures
        .iter()
        .map(|one| (one.name(), one.label()))
        .collect();
    let mut attacks = vec![("gated".to_owned(), "the one that decided".to_owned())];
    attacks.extend(ids.into_iter().map(|id| (id.clone(), id)));
    let mut kinds = vec![(String::new(), "any target".to_owned())];
    kinds.extend(list::kinds());
    let attack = query.get("attack").unwrap_or("gated");
    let kind = query.get("kind").unwrap_or_default();
    html! {
        form class="filters" method="get" action=(app.site.to("/trend")) {
            (select("measure", "Measure", &measures, &measure.name()))
            (select("attack", "Attack", &attacks, attack))
            (select("kind", "Target", &kinds, kind))
            button { "Show" }
        }
    }
}

/// Audits of one kind of target that lie in one folder belong together.
fn group(audit: &Summary) -> String {
    let audited = audit.audited.as_ref();
    let kind = audited.map_or_else(|_| String::new(), |audited| audited.kind.to_string());
    match audit.path.rsplit_once('/') {
        Some((parent, _)) => format!("{parent}: {kind}"),
        None => kind,
    }
}

fn picture(app: &App, shown: &[Shown], measure: Measure) -> Markup {
    let figure = trend(&Trend {
        title: format!("{} across audits", measure.label()),
        axis: measure.label(),
        chance: measure.chance(),
        points: shown.iter().map(|one| point(app, one)).collect(),
    });
    html! {
        @if let Some(figure) = figure {
            figure class="chart" {
                (drawing(&figure))
                figcaption { (text(&figure.caption)) }
            }
        }
    }
}

fn point(app: &App, one: &Shown) -> TrendPoint {
    let name = one.audit.name(&app.root);
    let when = one.audit.date();
    let interval = one.reading.interval.map_or(String::new(), |(low, high)| {
        format!(", {low:.4} to {high:.4}")
    });
    let held = one.threshold.map_or(String::new(), |threshold| {
        format!(", threshold {threshold}")
    });
    TrendPoint {
        group: group(&one.audit),
        value: one.reading.value,
        interval: one.reading.interval,
        threshold: one.threshold,
        tip: format!(
            "{name}: {:.4}{interval}{held}; {}, {when}",
            one.reading.value, one.attack
        ),
        label: when,
        link: app.site.audit(&parts(&one.audit.path)),
    }
}

fn rows(app: &App, shown: &[Shown], measure: Measure) -> Markup {
    if shown.is_empty() {
        return html! {};
    }
    let row = |one: &Shown| -> Vec<Cell> {
        let address = app.site.audit(&parts(&one.audit.path));
        vec![
            Cell::link(address, one.audit.name(&app.root)),
            one.attack.as_str().into(),
            reading(one.reading),
            one.threshold.map_or_else(|| "–".into(), number),
            one.audit.date().into(),
        ]
    };
    let rows = shown.iter().rev().map(row).collect();
    let words = measure.label();
    let heads = ["Audit", "Attack", words.as_str(), "Threshold", "Date"];
    html! {
        h2 { "The numbers" }
        (table(&Table::new("The numbers behind the picture", &heads, rows)))
    }
}
