//! One record: what every attack said about it, and what gave it away.

use crate::http::post::link;
use crate::http::problem::Problem;
use crate::library::named;
use crate::markup::{Html, html};
use crate::scores::{Place as Standing, places};

use super::App;
use super::evidence;
use super::layout::{self, Place, table};
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
    let body = html!(
        "<p class=\"trail\"><a href=\"/\">Audits</a> / <a href=\"{}\">{}</a> / <a href=\"{}records\">Records</a> /</p>\
         <h1>{}</h1><dl class=\"facts\"><div><dt>Row</dt><dd>{}</dd></div><div><dt>Truth</dt><dd>{}</dd></div></dl>{}{}",
        link(place),
        named(&path, &app.root),
        link(place),
        record.id,
        record.row,
        member(record.member),
        standings_table(&standings),
        evidence::sections(app, &folder, &record.id)
    );
    Ok(layout::page(&record.id, Place::Audits, &body))
}

fn standings_table(standings: &[Standing]) -> Html {
    let rows: Html = standings
        .iter()
        .map(|one| {
            let place = match one.below {
                Some((share, others)) => html!(
                    "<meter min=\"0\" max=\"1\" value=\"{}\" aria-hidden=\"true\"></meter> above {} of {}",
                    share.to_string(),
                    percent(share),
                    count(usize::try_from(others).unwrap_or(usize::MAX))
                ),
                None => html!("–"),
            };
            html!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td></tr>",
                one.attack,
                score(one.score),
                place
            )
        })
        .collect();
    let heads = ["Attack", "Score", "Among other non-members"];
    html!(
        "<h2>Scores</h2><p>A larger score means more likely a member. Guessing puts a record above half of the \
         non-members on average.</p>{}",
        table("Scores by attack", &heads, &rows)
    )
}
