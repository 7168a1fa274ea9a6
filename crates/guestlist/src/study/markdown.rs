//! Tables of studies, in Markdown.

use std::fmt::Display;

use report::printable;

/// Text of the user's in a cell.
pub fn cell(text: &str) -> String {
    printable(text).replace('|', "\\|").replace('<', "&lt;")
}

/// A command, between backticks.
pub fn command(text: &str) -> String {
    printable(text).replace('`', "'")
}

pub fn header(first: &str, columns: &[impl Display]) -> String {
    let names: String = columns.iter().map(|name| format!(" {name} |")).collect();
    format!(
        "| {first} |{names}\n|---|{}\n",
        "---:|".repeat(columns.len())
    )
}

pub fn row(name: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!(" {cell} |")).collect();
    format!("| {name} |{cells}\n")
}
