//! Tables of studies, in Markdown.

use std::fmt::Display;

use report::printable;

/// A command as code: as it is typed, whatever it holds.
pub fn code(text: &str) -> String {
    let text = printable(text);
    let runs = text.split(|letter| letter != '`').map(str::len);
    match runs.max() {
        None | Some(0) => format!("`{text}`"),
        Some(most) => {
            let fence = "`".repeat(most + 1);
            format!("{fence} {text} {fence}")
        }
    }
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

pub fn table(columns: &[&str], rows: &[Vec<String>]) -> String {
    let Some((first, rest)) = columns.split_first() else {
        return String::new();
    };
    let rows = rows.iter().filter_map(|cells| cells.split_first());
    let rows = rows.map(|(name, cells)| row(name, cells.iter().cloned()));
    header(first, rest) + &rows.collect::<String>()
}
