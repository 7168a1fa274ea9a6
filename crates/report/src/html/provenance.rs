//! What is needed to do the audit again: the command line, what it read, and every setting.

use serde_json::Value;

use super::table::{Column, Table};
use super::writer::Html;
use crate::document::{Provenance, Report};

pub fn write(html: &mut Html, report: &Report) {
    let provenance = &report.provenance;
    html.tag("p", &[], |html| {
        html.text("guestlist ");
        html.text(&provenance.version);
        html.text(", seed ");
        html.index(provenance.seed);
        html.text(". The same inputs, settings and seed give the same report, byte for byte.");
    });
    html.tag("div", &[("class", "command")], |html| {
        html.tag("pre", &[("id", "command"), ("tabindex", "0")], |html| {
            html.line("code", &[], &provenance.command);
        });
        let copy = [("type", "button"), ("data-copy", "command"), ("hidden", "")];
        html.line("button", &copy, "Copy");
    });
    inputs(html, provenance);
    settings(html, report);
}

fn inputs(html: &mut Html, provenance: &Provenance) {
    if provenance.inputs.is_empty() {
        return;
    }
    let columns = [Column::text("file"), Column::text("SHA-256")];
    html.line("h3", &[], "What was read");
    Table::new("Files that were read", &columns).write(html, |html| {
        for input in &provenance.inputs {
            html.tag("tr", &[], |html| {
                html.tag("th", &[("scope", "row")], |html| html.outside(&input.path));
                html.tag("td", &[("class", "digest")], |html| {
                    html.text(&input.sha256)
                });
            });
        }
    });
}

/// Data, attacks and measures, each setting under its key in report.json.
fn settings(html: &mut Html, report: &Report) {
    let provenance = &report.provenance;
    html.tag("details", &[("class", "print-open")], |html| {
        html.line("summary", &[], "Every setting in force");
        let columns = [Column::text("setting"), Column::text("value")];
        Table::new("Settings", &columns).write(html, |html| {
            let data = serde_json::to_value(&provenance.data);
            rows(html, "data", &data.unwrap_or_default());
            for (key, count) in report.detail.counts() {
                row(html, &format!("detail.{key}"), &count.into());
            }
            for (key, value) in &provenance.settings {
                row(
                    html,
                    &format!("settings.{key}"),
                    &Value::String(value.clone()),
                );
            }
            let measuring = serde_json::to_value(&provenance.measuring);
            rows(html, "measuring", &measuring.unwrap_or_default());
        });
    });
}

fn rows(html: &mut Html, under: &str, values: &Value) {
    for (key, value) in values.as_object().into_iter().flatten() {
        row(html, &format!("{under}.{key}"), value);
    }
}

fn row(html: &mut Html, key: &str, value: &Value) {
    html.tag("tr", &[], |html| {
        html.tag("th", &[("scope", "row")], |html| html.outside(key));
        html.tag("td", &[], |html| match value {
            Value::String(text) => html.outside(text),
            Value::Null => html.text("–"),
            other => html.text(&other.to_string()),
        });
    });
}
