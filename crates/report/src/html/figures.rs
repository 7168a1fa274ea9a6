//! Figures on the page: the drawing, what to see in it, and the same numbers as a table.

use super::table::{Column, Table};
use super::writer::Html;
use crate::figures::{Figure, Section};
use crate::section::Place;

/// The part of the page that a figure belongs to; none where it stands beside the verdict.
pub fn place(section: Section) -> Option<Place> {
    Some(match section {
        Section::Verdict => return None,
        Section::Attacks => Place::Attacks,
        Section::Records => Place::Records,
        Section::Models => Place::Models,
        Section::Checkpoints => Place::Checkpoints,
        Section::Source => Place::Sources,
        Section::FewShot => Place::FewShot,
        Section::Retrieval => Place::Service,
    })
}

/// Figures side by side, where there is room.
pub fn gallery(html: &mut Html, figures: &[&Figure]) {
    if figures.is_empty() {
        return;
    }
    html.tag("div", &[("class", "gallery")], |html| {
        for figure in figures {
            write(html, figure, "h3");
        }
    });
}

/// One figure under a heading of the given level.
pub fn write(html: &mut Html, figure: &Figure, heading: &'static str) {
    let id = format!("figure-{}", figure.id);
    html.tag("figure", &[("id", &id), ("class", "stops")], |html| {
        html.line(heading, &[], &figure.title);
        html.tag("div", &[("class", "canvas")], |html| html.drawing(figure));
        html.tag("figcaption", &[], |html| html.text(&figure.caption));
        numbers(html, figure);
    });
}

fn numbers(html: &mut Html, figure: &Figure) {
    if figure.table.rows.is_empty() {
        return;
    }
    let heads = figure.table.headers.iter().enumerate();
    let columns: Vec<Column> = heads
        .map(|(place, head)| Column::new(head, place > 0))
        .collect();
    html.tag("details", &[("class", "numbers")], |html| {
        html.line("summary", &[], "The numbers");
        Table::new(&figure.title, &columns).write(html, |html| {
            for row in &figure.table.rows {
                html.tag("tr", &[], |html| {
                    for cell in row {
                        html.line("td", &[], cell);
                    }
                });
            }
        });
    });
}
