//! One record: what every attack said about it, and what gave it away.

use ::report::blocks::html::table;
use ::report::blocks::{Cell, Part, Table};
use ::report::markup::text;
use maud::{Markup, html};

use crate::http::problem::Problem;
use crate::library::named;
use crate::scores::{Place as Standing, places};

use super::App;
use super::evidence;
use super::layout::{self, Place};
use super::numbers::{count, member, percent, score};
use super::records::open;

pub fn page(app: &App, place: &[String], row: usize) -> Result<String, Problem> {
    let table = open(app, place)?;
    if row >= table.rows() {
        let rows = count(table.rows());
        return Err(Problem::not_found(format!("there are {rows} records")));
    }
    let attacks: Vec<&str> = table.attacks().collect();
    let read = table.read(std::slice::from_ref(&(row..row + 1)), &attacks);
    let record = read.map_err(Problem::broken)?.into_iter().next();
    let record = record.ok_or_else(|| Problem::not_found("there is no such record"))?;
    let question = format!("places {row}");
    let standings = app.scores.get(&table.path, table.version, question, || {
        places(&table, &record).map_err(Problem::broken)
    })?;
    let folder = app.root.audit(place)?;
    let path = place.join("/");
    let audit = text(&app.site.audit(place));
    let body = html! {
        p class="trail" {
            a href=(app.site.to("/")) { "Audits" } " / "
            a href=(audit) { (text(named(&path, &app.root))) } " / "
            a href={ (audit) "records" } { "Records" } " /"
        }
        h1 { (text(&record.id)) }
        dl class="facts" {
            div { dt { "Row" } dd { (record.row) } }
            div { dt { "Truth" } dd { (member(record.member)) } }
        }
        (standings_table(&standings))
        (evidence::sections(app, &folder, &record.id))
    };
    Ok(layout::page(&app.site, &record.id, Place::Audits, &body))
}

fn standings_table(standings: &[Standing]) -> Markup {
    let row = |one: &Standing| -> Vec<Cell> {
        vec![
            one.attack.as_str().into(),
            score(one.score).into(),
            among_others(one),
        ]
    };
    let rows = standings.iter().map(row).collect();
    let heads = ["Attack", "Score", "Among other non-members"];
    html! {
        h2 { "Scores" }
        p {
            "A larger score means more likely a member. Guessing puts a record above half of the \
             non-members on average."
        }
        (table(&Table::new("Scores by attack", &heads, rows)))
    }
}

fn among_others(one: &Standing) -> Cell {
    let Some((share, others)) = one.below else {
        return "–".into();
    };
    let others = count(usize::try_from(others).unwrap_or(usize::MAX));
    let words = format!(" above {} of {others}", percent(share));
    Cell {
        parts: vec![Part::Share(share), Part::Words(words)],
        below: Vec::new(),
    }
}
