//! Experiments of papers, run again: on signals that the user has, with the published numbers beside ours.
//! Nothing here gives a verdict.

pub mod bavaria;
mod doubts;
pub mod ez;
pub mod few_shot;
mod markdown;
mod studied;

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use formats::files::{FileSet, Overwrite};
use serde::Serialize;

pub use self::doubts::Doubt;
pub use self::studied::Studied;

use crate::pipeline::OutFolder;
use crate::{Error, Result};

/// The page and its numbers, both or none. Their paths come back.
pub fn write(
    out: OutFolder,
    name: &str,
    page: &str,
    numbers: &impl Serialize,
) -> Result<Vec<PathBuf>> {
    let json = serde_json::to_string_pretty(numbers)
        .map_err(|error| Error::usage(format!("{name}: {error}"), "tell us about it"))?;
    let mut set = FileSet::new(Overwrite::Replace);
    let mut written = Vec::new();
    for (ending, text) in [("md", page), ("json", json.as_str())] {
        let path = out.path().join(format!("{name}.{ending}"));
        set.add(&path, |file| file.write_all(text.as_bytes()))?;
        written.push(path);
    }
    set.commit()?;
    out.keep();
    Ok(written)
}

/// Every data set must have a name of its own, by which pages and numbers know it.
fn check_names(sets: &[Studied]) -> Result<()> {
    let mut seen = HashSet::new();
    match sets.iter().find(|set| !seen.insert(&set.name)) {
        None => Ok(()),
        Some(twice) => Err(Error::usage(
            format!("two data sets are called {:?}", twice.name),
            "give each a name: NAME=PATH",
        )),
    }
}

#[cfg(test)]
mod tests;
