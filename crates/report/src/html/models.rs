//! What was trained or asked: the audited model and its helpers, in sentences.

use super::table::{Column, Table};
use super::writer::Html;
use crate::classifier::Training;
use crate::document::Report;

pub fn write(html: &mut Html, report: &Report) {
    if let Some(training) = report.detail.training() {
        html.line("h3", &[], "Trained models");
        sentences(html, &training.sentences());
        if !training.columns.is_empty() {
            columns(html, training);
        }
    }
    if let Some(scoring) = report.detail.scoring() {
        html.line("h3", &[], "Language models");
        sentences(html, &scoring.sentences());
    }
}

fn sentences(html: &mut Html, sentences: &[String]) {
    html.tag("ul", &[], |html| {
        for sentence in sentences {
            html.tag("li", &[], |html| html.outside(sentence));
        }
    });
}

fn columns(html: &mut Html, training: &Training) {
    let heads = [
        Column::text("column"),
        Column::text("what became of it"),
        Column::number("missing"),
    ];
    html.tag("details", &[], |html| {
        html.line(
            "summary",
            &[],
            &format!("{} columns of the data", training.columns.len()),
        );
        Table::new("Columns of the data", &heads).write(html, |html| {
            for column in &training.columns {
                html.tag("tr", &[], |html| {
                    html.tag("th", &[("scope", "row")], |html| html.outside(&column.name));
                    html.tag("td", &[], |html| html.outside(&column.treatment));
                    html.tag("td", &[("class", "n")], |html| {
                        html.count(column.missing as u64)
                    });
                });
            }
        });
    });
}
