//! The first page: all audits.

use ::report::blocks::html::table;
use ::report::blocks::{Cell, Part, Table};
use ::report::markup::text;
use maud::{Markup, html};

use crate::http::query::Query;
use crate::library::{Audited, Measure, Summary};

use super::App;
use super::layout::{self, Place, select};
use super::list::{self, ORDERS, Page, order};
use super::numbers::{count, reading, signed, verdict};
use super::running::{self, parts};

pub fn page(app: &App, query: &Query) -> String {
    let shown = list::page(app.library.audits(), query);
    let body = html! {
        h1 { "Audits" }
        (running::section(&app.live.all(), app))
        (form(app, query))
        section id="audits" data-live aria-label="Audits" {
            (tally(app, &shown))
            (list_of(app, &shown, query))
            (pager(app, &shown, query))
        }
        (waiting(app))
        div data-events=(app.site.to("/events")) {}
    };
    layout::page(&app.site, "Audits", Place::Audits, &body)
}

fn form(app: &App, query: &Query) -> Markup {
    let any = |words: &str| (String::new(), words.to_owned());
    let mut verdicts = vec![any("any verdict")];
    verdicts.extend(["pass", "fail", "inconclusive", "damaged"].map(|v| (v.into(), v.into())));
    let mut kinds = vec![any("any target")];
    kinds.extend(list::kinds());
    let (sort, downwards) = order(query);
    let chosen = |key: &str| query.get(key).unwrap_or_default();
    html! {
        form class="filters" method="get" action=(app.site.to("/")) role="search" {
            label {
                "Search"
                input type="search" name="search" value=(text(chosen("search")))
                    placeholder="part of a name";
            }
            (select("verdict", "Verdict", &verdicts, chosen("verdict")))
            (select("kind", "Target", &kinds, chosen("kind")))
            input type="hidden" name="sort" value=(sort);
            input type="hidden" name="order" value=(if downwards { "desc" } else { "asc" });
            button { "Show" }
        }
    }
}

fn tally(app: &App, shown: &Page) -> Markup {
    let (complete, cut) = app.library.state();
    let mut words = match (shown.all, shown.fitting == shown.all) {
        (0, _) if complete => {
            "No audits here yet: write one with `guestlist audit --out` or `guestlist run`."
                .to_owned()
        }
        (1, true) => "1 audit".to_owned(),
        (all, true) => format!("{} audits", count(all)),
        (all, false) => format!("{} of {} audits", count(shown.fitting), count(all)),
    };
    if !complete {
        words += "; still reading";
    }
    if cut {
        words += "; there are too many folders to look at all of them: serve a part of them";
    }
    let reading = if complete { "" } else { "yes" };
    html! { p class="tally" role="status" data-reading=(reading) { (words) } }
}

fn list_of(app: &App, shown: &Page, query: &Query) -> Markup {
    if shown.audits.is_empty() {
        return html! {};
    }
    let (column, downwards) = order(query);
    let sorted = ORDERS.iter().position(|(name, _)| *name == column);
    let mut heads: Vec<Cell> = ORDERS
        .iter()
        .map(|(name, words)| head(app, name, words, query))
        .collect();
    heads.push("Compare".into());
    let audits = Table {
        caption: "Audits".into(),
        heads,
        rows: shown.audits.iter().map(|audit| row(app, audit)).collect(),
        sorted: sorted.map(|place| (place, downwards)),
    };
    html! {
        form method="get" action=(app.site.to("/compare")) {
            (table(&audits))
            p { button data-two { "Compare two" } }
        }
    }
}

/// A head that orders the list, and the other way round when it does already.
fn head(app: &App, name: &str, words: &str, query: &Query) -> Cell {
    let (column, downwards) = order(query);
    let here = column == name;
    let down = if here {
        !downwards
    } else {
        matches!(name, "auc" | "records" | "date")
    };
    let next = if down { "desc" } else { "asc" };
    let link = query.with(&[("sort", name), ("order", next), ("page", "")]);
    Cell::link(app.site.to(&format!("/{link}")), words)
}

fn row(app: &App, audit: &Summary) -> Vec<Cell> {
    let name = audit.name(&app.root);
    let date = audit.date();
    let named = Cell::link(app.site.audit(&parts(&audit.path)), name);
    match &audit.audited {
        Ok(audited) => vec![
            named,
            verdict(audited.outcome),
            audited.kind.to_string().into(),
            auc(audited),
            count(audited.records).into(),
            date.into(),
            Part::Tick {
                name: "run",
                value: format!("/{}", audit.path),
                label: format!("compare {name}"),
            }
            .into(),
        ],
        Err(problem) => vec![
            named,
            signed("fail", "⚠", "damaged"),
            format!("report.json {problem}").into(),
            Cell::default(),
            Cell::default(),
            date.into(),
            Cell::default(),
        ],
    }
}

/// The AUC of the attack that decided.
fn auc(audited: &Audited) -> Cell {
    let Some((attack, auc)) = audited.reading(None, Measure::Auc) else {
        return Cell::default();
    };
    let mut cell = reading(auc);
    cell.below.push(Part::Words(format!(" {attack}")));
    cell
}

fn pager(app: &App, shown: &Page, query: &Query) -> Markup {
    if shown.pages == 1 {
        return html! {};
    }
    let to = |page: usize, words: &str| {
        let there = (1..=shown.pages).contains(&page);
        let query = query.with(&[("page", &page.to_string())]);
        html! {
            @if there {
                a href={ (app.site.to("/")) (text(&query)) } { (words) }
            } @else {
                span aria-disabled="true" { (words) }
            }
        }
    };
    html! {
        nav class="pager" aria-label="Pages of the list" {
            (to(shown.page.wrapping_sub(1), "Previous"))
            span { "page " (shown.page) " of " (shown.pages) }
            (to(shown.page + 1, "Next"))
        }
    }
}

/// Configurations whose audits can be started, and have not been.
fn waiting(app: &App) -> Markup {
    let configured = match app.runs {
        Some(_) => app.library.configured(),
        None => Vec::new(),
    };
    let new = |path: &&String| app.library.audit(path).is_none();
    let new: Vec<&String> = configured.iter().filter(new).collect();
    html! {
        @if !new.is_empty() {
            h2 { "Configurations without a report" }
            ul {
                @for path in new {
                    li {
                        a href=(text(&app.site.audit(&parts(path)))) {
                            (text(crate::library::named(path, &app.root)))
                        }
                    }
                }
            }
        }
    }
}
