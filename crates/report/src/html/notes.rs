//! What else a reader should know: notes, and attacks that could not run.

use maud::{Markup, html};

use crate::document::Report;
use crate::markup::{outside, text};

pub fn part(report: &Report) -> Markup {
    html! {
        @if !report.notes.is_empty() {
            ul { @for note in &report.notes { li { (outside(note)) } } }
        }
        @if !report.skipped.is_empty() {
            h3 { "Attacks that could not run" }
            dl {
                @for (ids, reason) in report.skipped_by_reason() {
                    dt { (text(&ids)) }
                    dd { (outside(reason)) }
                }
            }
        }
    }
}
