//! JSON Lines, also gzipped: one object per text.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde_json::Value;

use super::ROWS_PER_BATCH;
use super::raw::{Batches, RawRow, RawRows};
use crate::lines::{Lines, plain};
use crate::{Error, Result};

/// By its name, or because the first line is an object with a text or with log-probabilities.
pub fn recognise(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if name.ends_with(".jsonl") || name.ends_with(".ndjson") {
        return true;
    }
    let Some(Ok((_, line))) = Lines::open(path).ok().and_then(|mut lines| lines.next()) else {
        return false;
    };
    let first: Option<Value> = serde_json::from_slice(&line).ok();
    first.is_some_and(|row| row.get("text").is_some() || row.get("logprob").is_some())
}

pub fn read(path: &Path) -> Result<Batches> {
    Ok(Box::new(Batched {
        lines: Lines::open(path)?,
        path: path.to_owned(),
        ended: false,
    }))
}

struct Batched {
    lines: Lines,
    path: PathBuf,
    ended: bool,
}

impl Iterator for Batched {
    type Item = Result<RawRows>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch();
        self.ended = batch.as_ref().map_or(true, Vec::is_empty);
        match batch {
            Ok(rows) if rows.is_empty() => None,
            other => Some(other.map(Into::into)),
        }
    }
}

impl Batched {
    /// The next lines, blank ones left out, parsed on all cores.
    fn batch(&mut self) -> Result<Vec<RawRow>> {
        let lines = self.lines.by_ref().take(ROWS_PER_BATCH);
        let lines: Vec<(usize, Vec<u8>)> = lines.collect::<Result<_>>()?;
        lines
            .into_par_iter()
            .map(|(number, line)| parse(&line, number, &self.path))
            .collect::<Vec<_>>()
            .into_iter()
            .collect()
    }
}

fn parse(line: &[u8], number: usize, path: &Path) -> Result<RawRow> {
    serde_json::from_slice(line).map_err(|error| {
        let message = format!("line {number}: {}", plain(&error));
        Error::malformed(message).at(path).hint(
            "every line is a JSON object such as {\"id\": \"a\", \"text\": \"…\", \"member\": \
             true}; NaN is not JSON",
        )
    })
}
