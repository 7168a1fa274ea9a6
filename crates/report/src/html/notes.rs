//! What else a reader should know: notes, and attacks that could not run.

use super::writer::Html;
use crate::document::Report;

pub fn write(html: &mut Html, report: &Report) {
    if !report.notes.is_empty() {
        html.tag("ul", &[], |html| {
            for note in &report.notes {
                html.tag("li", &[], |html| html.outside(note));
            }
        });
    }
    if report.skipped.is_empty() {
        return;
    }
    html.line("h3", &[], "Attacks that could not run");
    html.tag("dl", &[], |html| {
        for (ids, reason) in report.skipped_by_reason() {
            html.line("dt", &[], &ids);
            html.tag("dd", &[], |html| html.outside(reason));
        }
    });
}
