//! The report as Markdown, for pull requests and notes.

use crate::blocks::markdown::markdown as rendered;
pub use crate::blocks::markdown::sign;
use crate::composed;
use crate::document::Report;

/// The report as GitHub-flavoured Markdown. It is made to be posted: no record is shown in it.
pub fn markdown(report: &Report) -> String {
    let report = report.clone().without_records().without_places();
    rendered(&composed::posted(&report))
}
