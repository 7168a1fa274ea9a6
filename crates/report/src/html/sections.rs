//! A section of the report as a heading, a table and paragraphs.

use super::table::{Column, Table};
use super::writer::Html;
use crate::section::Section;

/// Tables with more rows than this are folded.
const IN_SIGHT: usize = 15;

pub fn write(html: &mut Html, section: &Section) {
    html.tag("section", &[("class", "plain")], |html| {
        html.tag("h3", &[], |html| html.outside(&section.title));
        if section.rows.len() > IN_SIGHT {
            html.tag("details", &[("class", "print-open")], |html| {
                html.line("summary", &[], &format!("{} rows", section.rows.len()));
                rows(html, section);
            });
        } else if !section.rows.is_empty() {
            rows(html, section);
        }
        if !section.drawing.is_empty() {
            let drawing = section.drawing.join("\n");
            html.tag("div", &[("class", "box")], |html| {
                html.quoted("drawing", &drawing)
            });
        }
        for remark in &section.remarks {
            html.tag("p", &[], |html| html.outside(remark));
        }
    });
}

fn rows(html: &mut Html, section: &Section) {
    let numeric: Vec<bool> = (0..section.heads.len())
        .map(|place| place > 0 && section.rows.iter().all(|row| is_numeric(row.get(place))))
        .collect();
    let columns = section.heads.iter().zip(&numeric);
    let columns: Vec<Column> = columns
        .map(|(head, numeric)| Column::new(head, *numeric))
        .collect();
    let table = Table::new(&section.title, &columns);
    table.write(html, |html| {
        for row in &section.rows {
            html.tag("tr", &[], |html| cells(html, row, &numeric));
        }
    });
}

fn cells(html: &mut Html, row: &[String], numeric: &[bool]) {
    for (place, cell) in row.iter().enumerate() {
        let write = |html: &mut Html| html.outside(cell);
        match (place, numeric.get(place)) {
            (0, _) => html.tag("th", &[("scope", "row")], write),
            (_, Some(true)) => html.tag("td", &[("class", "n")], write),
            _ => html.tag("td", &[], write),
        }
    }
}

/// Whether a cell reads as a number, or has none to show.
fn is_numeric(cell: Option<&String>) -> bool {
    let first = cell.and_then(|cell| cell.chars().next());
    first.is_none_or(|first| first.is_ascii_digit() || "+-−<–".contains(first))
}
