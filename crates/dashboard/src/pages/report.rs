//! The full report of an audit, rendered from `report.json` as it is now.

use crate::http::problem::Problem;

use super::App;

pub struct Rendered {
    pub page: String,
    /// What this page may do: its script and style are inside of it.
    pub policy: String,
}

pub fn page(app: &App, place: &[String]) -> Result<Rendered, Problem> {
    let report = app.report(place)?;
    Ok(Rendered {
        page: ::report::html(&report),
        policy: format!("{}; frame-ancestors 'none'", ::report::html_policy()),
    })
}
