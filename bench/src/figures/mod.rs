//! Measured numbers in pages. A command writes what it measured to `bench/figures/NAME.json`; the words around
//! the numbers stand in a template, `bench/figures/NAME.md`; and a page has both between two markers:
//!
//! ```text
//! <!-- figures: NAME -->
//! …
//! <!-- end of figures -->
//! ```
//!
//! `cargo xtask gen` writes what belongs there, and with `--check` (and in the tests) a page that says anything
//! else is a failure. So a number cannot be changed in a page, and a page cannot be forgotten.

mod format;
mod source;
mod stated;
mod template;
mod typed;
mod unsourced;

use std::path::{Path, PathBuf};

pub use source::{Source, conditions};
pub use stated::stated;
pub use typed::typed;

use crate::{Failed, root};

const BEGIN: &str = "<!-- figures: ";
const END: &str = "<!-- end of figures -->";

/// Where sources and templates lie.
pub fn folder() -> PathBuf {
    root().join("bench/figures")
}

/// The pages that may have measured numbers in them.
pub fn pages() -> Result<Vec<PathBuf>, Failed> {
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    for entry in std::fs::read_dir(root().join("docs")).map_err(said)? {
        let path = entry.map_err(said)?.path();
        if path.extension().is_some_and(|kind| kind == "md") {
            pages.push(path);
        }
    }
    for entry in std::fs::read_dir(root().join("examples")).map_err(said)? {
        let path = entry.map_err(said)?.path().join("README.md");
        if path.exists() {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

/// The page with what its sources say between all of its markers.
pub fn rendered(page: &str, folder: &Path) -> Result<String, Failed> {
    let mut lines = page.split_inclusive('\n');
    let mut out = String::with_capacity(page.len());
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(name) = named(line)? else {
            continue;
        };
        if !lines.any(|line| line.trim_end() == END) {
            return Err(Failed(format!("figures {name}: {END:?} is missing")));
        }
        let path = folder.join(format!("{name}.md"));
        let words = std::fs::read_to_string(&path)
            .map_err(|error| Failed(format!("{}: {error}", path.display())))?;
        let filled = template::fill(&words, folder)
            .map_err(|Failed(why)| Failed(format!("{}: {why}", path.display())))?;
        out.push_str(filled.trim_end());
        out.push('\n');
        out.push_str(END);
        out.push('\n');
    }
    Ok(out)
}

/// Names of the templates that a page shows.
pub fn shown(page: &str) -> Result<Vec<&str>, Failed> {
    let names = page.lines().map(named);
    names.filter_map(Result::transpose).collect()
}

fn named(line: &str) -> Result<Option<&str>, Failed> {
    let Some(rest) = line.trim_end().strip_prefix(BEGIN) else {
        return Ok(None);
    };
    let name = rest.strip_suffix(" -->").filter(|name| is_name(name));
    name.map(Some)
        .ok_or_else(|| Failed(format!("{line:?} names no figures")))
}

fn is_name(name: &str) -> bool {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(part)
}

fn said(error: std::io::Error) -> Failed {
    Failed(error.to_string())
}

#[cfg(test)]
mod tests;
