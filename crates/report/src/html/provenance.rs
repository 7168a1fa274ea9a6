//! What is needed to do the audit again: the command line, what it read, and every setting.

use maud::{Markup, html};
use serde_json::Value;

use super::tables::{Column, table};
use crate::document::{Provenance, Report};
use crate::markup::{index, outside, text};

pub fn part(report: &Report) -> Markup {
    let provenance = &report.provenance;
    html! {
        p {
            "guestlist " (text(&provenance.version)) ", seed " (index(provenance.seed))
            ". The same inputs, settings and seed give the same report, byte for byte."
        }
        div class="command" {
            pre id="command" tabindex="0" { code { (text(&provenance.command)) } }
            button type="button" data-copy="command" hidden="" { "Copy" }
        }
        "\n"
        (inputs(provenance))
        (settings(report))
    }
}

fn inputs(provenance: &Provenance) -> Markup {
    let columns = [Column::text("file"), Column::text("SHA-256")];
    let rows = html! {
        @for input in &provenance.inputs {
            tr {
                th scope="row" { (outside(&input.path)) }
                td class="digest" { (outside(&input.known_by())) }
            }
            "\n"
        }
    };
    html! {
        @if !provenance.inputs.is_empty() {
            h3 { "What was read" }
            (table("Files that were read", &columns, &rows))
        }
    }
}

/// Data, attacks and measures, each setting under its key in report.json.
fn settings(report: &Report) -> Markup {
    let provenance = &report.provenance;
    let columns = [Column::text("setting"), Column::text("value")];
    let data = serde_json::to_value(&provenance.data).unwrap_or_default();
    let measuring = serde_json::to_value(&provenance.measuring).unwrap_or_default();
    let settings = html! {
        (rows("data", &data))
        @for (key, count) in report.detail.counts() { (row(&format!("detail.{key}"), &count.into())) }
        @for (key, value) in &provenance.settings {
            (row(&format!("settings.{key}"), &Value::String(value.clone())))
        }
        (rows("measuring", &measuring))
    };
    html! {
        details class="print-open" {
            summary { "Every setting in force" }
            (table("Settings", &columns, &settings))
        }
        "\n"
    }
}

fn rows(under: &str, values: &Value) -> Markup {
    html! {
        @for (key, value) in values.as_object().into_iter().flatten() {
            (row(&format!("{under}.{key}"), value))
        }
    }
}

fn row(key: &str, value: &Value) -> Markup {
    html! {
        tr {
            th scope="row" { (outside(key)) }
            td {
                @match value {
                    Value::String(text) => (outside(text)),
                    Value::Null => "–",
                    other => (text(&other.to_string())),
                }
            }
        }
        "\n"
    }
}
