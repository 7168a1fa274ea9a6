//! JSON Lines, also gzipped: one object per text.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;
use serde_json::Value;

use super::ROWS_PER_BATCH;
use super::raw::RawRow;
use crate::{Error, Result};

type Batches = Box<dyn Iterator<Item = Result<Vec<RawRow>>> + Send>;

/// Some editors put it in front of a file.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// A line longer than this is no text.
const LONGEST_LINE: u64 = 1 << 30;

/// By its name, or because the first line is an object with a text or with log-probabilities.
pub fn recognise(path: &Path) -> bool {
    let name = path.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    if name.ends_with(".jsonl") || name.ends_with(".ndjson") {
        return true;
    }
    let Ok(mut reader) = reader(path) else {
        return false;
    };
    let mut line = Vec::new();
    while line.trim_ascii().is_empty() {
        line.clear();
        match reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return false,
            Ok(_) => {}
        }
    }
    let first: Option<Value> = serde_json::from_slice(&line).ok();
    first.is_some_and(|row| row.get("text").is_some() || row.get("logprob").is_some())
}

pub fn read(path: &Path) -> Result<Batches> {
    Ok(Box::new(Lines {
        reader: reader(path)?,
        path: path.to_owned(),
        line: 0,
        ended: false,
    }))
}

fn reader(path: &Path) -> Result<Box<dyn BufRead + Send>> {
    let file = File::open(path).map_err(|error| Error::reading(path, &error))?;
    let mut file = BufReader::with_capacity(1 << 18, file);
    let start = file
        .fill_buf()
        .map_err(|error| Error::reading(path, &error))?;
    if start.starts_with(&[0x1f, 0x8b]) {
        let unpacked = BufReader::with_capacity(1 << 18, MultiGzDecoder::new(file));
        return Ok(Box::new(unpacked));
    }
    Ok(Box::new(file))
}

struct Lines {
    reader: Box<dyn BufRead + Send>,
    path: PathBuf,
    line: usize,
    ended: bool,
}

impl Iterator for Lines {
    type Item = Result<Vec<RawRow>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.batch();
        self.ended = batch.as_ref().map_or(true, Vec::is_empty);
        match batch {
            Ok(rows) if rows.is_empty() => None,
            other => Some(other),
        }
    }
}

impl Lines {
    /// The next lines, blank ones left out, parsed on all cores.
    fn batch(&mut self) -> Result<Vec<RawRow>> {
        let mut lines: Vec<(usize, Vec<u8>)> = Vec::new();
        while lines.len() < ROWS_PER_BATCH {
            let mut line = Vec::new();
            let read = self
                .reader
                .by_ref()
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line)
                .map_err(|error| Error::reading(&self.path, &error))?;
            if read == 0 {
                break;
            }
            self.line += 1;
            if self.line == 1 && line.starts_with(BYTE_ORDER_MARK) {
                line.drain(..BYTE_ORDER_MARK.len());
            }
            if !line.trim_ascii().is_empty() {
                lines.push((self.line, line));
            }
        }
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

/// What is wrong, without the parser's own count of lines: it sees one only.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line").unwrap_or(text.len());
    format!("{} at column {}", &text[..end], error.column())
}
