//! A folder of .txt and .md files: each is a text, named by its path.

use std::path::{Path, PathBuf};

use super::ROWS_PER_BATCH;
use super::raw::{RawRow, Word};
use crate::{Error, Result};

type Batches = Box<dyn Iterator<Item = Result<Vec<RawRow>>> + Send>;

pub fn read(folder: &Path) -> Result<Batches> {
    let files = match folder.is_file() {
        true => vec![folder.to_owned()],
        false => files(folder)?,
    };
    if files.is_empty() {
        return Err(Error::missing("there is no .txt or .md file in the folder")
            .at(folder)
            .hint("give a folder of texts, JSON Lines or Parquet"));
    }
    let folder = folder.to_owned();
    let batches: Vec<Vec<PathBuf>> = files.chunks(ROWS_PER_BATCH).map(<[_]>::to_vec).collect();
    let batches = batches.into_iter().map(move |batch| {
        let rows = batch.iter().map(|path| row(&folder, path));
        rows.collect()
    });
    Ok(Box::new(batches))
}

fn row(folder: &Path, path: &Path) -> Result<RawRow> {
    let text = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    let text = String::from_utf8(text).map_err(|_| {
        Error::malformed("is not text in UTF-8")
            .at(path)
            .hint("convert it, or take it out of the folder")
    })?;
    let name = path.strip_prefix(folder).unwrap_or(path);
    let name = if name.as_os_str().is_empty() {
        path
    } else {
        name
    };
    Ok(RawRow {
        id: Some(Word::Text(name.display().to_string())),
        text: Some(text),
        ..RawRow::default()
    })
}

/// Every .txt and .md file below a folder, in the order of their paths.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let reading = |error: std::io::Error| Error::reading(&folder, &error);
        for entry in std::fs::read_dir(&folder).map_err(reading)? {
            let entry = entry.map_err(reading)?;
            let path = entry.path();
            // Links are not followed: a circle of them would have no end.
            if entry.file_type().map_err(reading)?.is_dir() {
                open.push(path);
            } else if path
                .extension()
                .is_some_and(|ending| ending == "txt" || ending == "md")
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
