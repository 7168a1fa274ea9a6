//! `docs/report.schema.json`: what `report.json` holds, for programs that read it.

use report::{Report, SCHEMA};

use super::page;

#[test]
fn the_schema_of_reports_is_that_of_the_code() {
    let mut schema = schemars::schema_for!(Report);
    schema.insert("title".into(), SCHEMA.into());
    let text = serde_json::to_string_pretty(&schema).unwrap();
    page::check_whole("report.schema.json", &(text + "\n"));
}
