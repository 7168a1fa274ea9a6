//! What of a page no source keeps true: everything but what stands between markers.

use super::{BEGIN, END};

/// What begins and ends a part that comes from the code.
const GENERATED: &str = "<!-- made by `cargo xtask gen`";
const WRITTEN: &str = "<!-- people write from here on -->";

/// How a page begins that a command writes as a whole.
const WHOLE: [&str; 2] = ["made by `", "written by `"];

/// The lines, each with its place from one on; empty where a source keeps them true, and one more behind the last.
pub fn unsourced(page: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut head = page
        .lines()
        .take(8)
        .filter(|line| !line.starts_with("<!--"));
    let whole = head.any(|line| WHOLE.iter().any(|made| line.contains(made)));
    let page = if whole { "" } else { page };
    let mut sourced = false;
    page.lines()
        .chain([""])
        .enumerate()
        .map(move |(place, line)| {
            let marks_an_end = line.trim_end() == END || line.starts_with(WRITTEN);
            let hidden = sourced || marks_an_end;
            sourced = match marks_an_end {
                true => false,
                false => sourced || line.starts_with(BEGIN) || line.starts_with(GENERATED),
            };
            (place + 1, if hidden { "" } else { line })
        })
}
