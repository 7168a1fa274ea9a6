//! The full report of an audit, rendered from `report.json` as it is now.

use crate::http::problem::Problem;
use crate::http::respond::POLICY;
use crate::markup::{Html, html, lines};

use super::App;
use super::layout::{self, Place};

pub struct Rendered {
    pub page: Html,
    /// What this page may do.
    pub policy: String,
}

pub fn page(app: &App, place: &[String]) -> Result<Rendered, Problem> {
    let report = app.report(place)?;
    let text = ::report::markdown(&report);
    let body = html!("<h1>Report</h1><pre>{}</pre>", lines(&text));
    Ok(Rendered {
        page: Html::trusted(layout::page("Report", Place::Nowhere, &body)),
        policy: POLICY.to_owned(),
    })
}
