//! The records of an audit, a page at a time.

use ::report::blocks::html::table;
use ::report::blocks::{self, Cell};
use ::report::markup::text;
use maud::{Markup, html};

use crate::http::problem::Problem;
use crate::http::query::Query;
use crate::library::named;
use crate::scores::{self, MOST_EXPOSED, Row, Table};

use super::App;
use super::layout::{self, Place, select};
use super::numbers::{count, member, score};

const PER_PAGE: usize = 100;

/// What one page shows.
struct Shown {
    rows: Vec<Row>,
    /// The attacks of the rows' scores.
    attacks: Vec<String>,
    /// For people: which rows these are.
    words: String,
    page: usize,
    pages: usize,
}

pub fn page(app: &App, place: &[String], query: &Query) -> Result<String, Problem> {
    let table = open(app, place)?;
    let attack = chosen(app, place, query, &table);
    let shown = match (query.get("search"), query.get("sort")) {
        (Some(text), _) => found(&table, text, attack.as_deref())?,
        (None, Some("exposed")) => exposed(app, &table, attack.as_deref(), query)?,
        _ => in_order(&table, query)?,
    };
    let path = place.join("/");
    let name = named(&path, &app.root);
    let body = html! {
        p class="trail" {
            a href=(app.site.to("/")) { "Audits" } " / " a href=(text(&app.site.audit(place))) { (text(name)) } " /"
        }
        h1 { "Records" }
        (form(app, &table, attack.as_deref(), place, query))
        p class="tally" role="status" { (text(&shown.words)) }
        (rows(app, &shown, place))
        (pager(app, &shown, place, query))
    };
    Ok(layout::page(
        &app.site,
        &format!("Records of {name}"),
        Place::Audits,
        &body,
    ))
}

/// The audit's scores.
pub fn open(app: &App, place: &[String]) -> Result<Table, Problem> {
    let folder = app.root.audit(place)?;
    let file = app.root.known_file(&folder, "scores.parquet");
    let file = file.ok_or_else(|| Problem::not_found("this audit has no scores.parquet"))?;
    Table::open(&file).map_err(Problem::broken)
}

/// The attack that was asked for, or that decided, or the first.
fn chosen(app: &App, place: &[String], query: &Query, table: &Table) -> Option<String> {
    let asked = query.get("attack").map(str::to_owned);
    let gated = || {
        let summary = app.library.audit(&place.join("/"))?;
        summary.audited.as_ref().ok()?.gated.clone()
    };
    let known = |attack: &String| table.attacks().any(|other| other == attack);
    asked
        .filter(known)
        .or_else(|| gated().filter(known))
        .or_else(|| table.attacks().next().map(str::to_owned))
}

fn in_order(table: &Table, query: &Query) -> Result<Shown, Problem> {
    let all = table.rows();
    let pages = all.div_ceil(PER_PAGE).max(1);
    let page = query.number("page").unwrap_or(1).clamp(1, pages);
    let first = (page - 1) * PER_PAGE;
    let last = (first + PER_PAGE).min(all);
    let attacks: Vec<&str> = table.attacks().collect();
    Ok(Shown {
        rows: table
            .read(std::slice::from_ref(&(first..last)), &attacks)
            .map_err(Problem::broken)?,
        attacks: attacks.iter().map(|attack| (*attack).to_owned()).collect(),
        words: format!(
            "Rows {} to {} of {}, in the file's order",
            count(first),
            count(last.max(1) - 1),
            count(all)
        ),
        page,
        pages,
    })
}

fn exposed(
    app: &App,
    table: &Table,
    attack: Option<&str>,
    query: &Query,
) -> Result<Shown, Problem> {
    let attack = attack.ok_or_else(|| Problem::not_found("there are no attacks in this file"))?;
    let question = format!("top {attack}");
    let top = app.scores.get(&table.path, table.version, question, || {
        scores::top(table, attack, MOST_EXPOSED).map_err(Problem::broken)
    })?;
    let pages = top.rows.len().div_ceil(PER_PAGE).max(1);
    let page = query.number("page").unwrap_or(1).clamp(1, pages);
    let first = (page - 1) * PER_PAGE;
    let rows: Vec<Row> = top
        .rows
        .iter()
        .skip(first)
        .take(PER_PAGE)
        .cloned()
        .collect();
    let cut = match top.scored > top.rows.len() {
        true => format!("; the first {} are listed", count(top.rows.len())),
        false => String::new(),
    };
    Ok(Shown {
        words: format!(
            "{} to {} of {} records with a score, most exposed by {attack} first{cut}",
            count(first + usize::from(!rows.is_empty())),
            count(first + rows.len()),
            count(top.scored)
        ),
        rows,
        attacks: vec![attack.to_owned()],
        page,
        pages,
    })
}

fn found(table: &Table, text: &str, attack: Option<&str>) -> Result<Shown, Problem> {
    let found = scores::search(table, text, PER_PAGE, attack).map_err(Problem::broken)?;
    let words = match (found.rows.len(), found.cut) {
        (0, _) => format!("No id is or begins with {text}"),
        (number, true) => {
            format!("The first {number} ids that are or begin with {text}; there are more")
        }
        (1, false) => format!("One id is or begins with {text}"),
        (number, false) => format!("{number} ids are or begin with {text}"),
    };
    Ok(Shown {
        rows: found.rows,
        attacks: attack.map(str::to_owned).into_iter().collect(),
        words,
        page: 1,
        pages: 1,
    })
}

fn form(app: &App, table: &Table, attack: Option<&str>, place: &[String], query: &Query) -> Markup {
    let options = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter()
            .map(|(value, words)| ((*value).to_owned(), (*words).to_owned()))
            .collect()
    };
    let orders = options(&[
        ("file", "the file's order"),
        ("exposed", "most exposed first"),
    ]);
    let attacks: Vec<(&str, &str)> = table.attacks().map(|attack| (attack, attack)).collect();
    let (attacks, searched) = (options(&attacks), query.get("search").unwrap_or_default());
    html! {
        form class="filters" method="get" action={ (text(&app.site.audit(place))) "records" } role="search" {
            label {
                "Find an id"
                input type="search" name="search" value=(text(searched))
                    placeholder="an id or its beginning";
            }
            (select("sort", "Order", &orders, query.get("sort").unwrap_or("file")))
            (select("attack", "Attack", &attacks, attack.unwrap_or_default()))
            button { "Show" }
        }
    }
}

fn rows(app: &App, shown: &Shown, place: &[String]) -> Markup {
    if shown.rows.is_empty() {
        return html! {};
    }
    let rows = shown.rows.iter().map(|row| line(app, row, place)).collect();
    let mut heads = vec!["Id", "Row", "Truth"];
    heads.extend(shown.attacks.iter().map(String::as_str));
    table(&blocks::Table::new("Records", &heads, rows))
}

fn line(app: &App, row: &Row, place: &[String]) -> Vec<Cell> {
    let address = format!("{}records/{}", app.site.audit(place), row.row);
    let mut cells = vec![
        Cell::link(address, row.id.as_str()),
        row.row.to_string().into(),
        member(row.member).into(),
    ];
    cells.extend(row.scores.iter().map(|one| Cell::from(score(*one))));
    cells
}

fn pager(app: &App, shown: &Shown, place: &[String], query: &Query) -> Markup {
    if shown.pages == 1 {
        return html! {};
    }
    let audit = app.site.audit(place);
    let to = |page: usize, words: &str| {
        let there = (1..=shown.pages).contains(&page);
        let query = query.with(&[("page", &page.to_string())]);
        html! {
            @if there {
                a href=(text(&format!("{audit}records{query}"))) { (words) }
            } @else {
                span aria-disabled="true" { (words) }
            }
        }
    };
    let first = if shown.page == 1 { 0 } else { 1 };
    let last = if shown.page == shown.pages {
        0
    } else {
        shown.pages
    };
    html! {
        nav class="pager" aria-label="Pages of records" {
            (to(first, "First"))
            (to(shown.page - 1, "Previous"))
            span { "page " (count(shown.page)) " of " (count(shown.pages)) }
            (to(shown.page + 1, "Next"))
            (to(last, "Last"))
        }
    }
}
