//! A folder of texts, Markdown, HTML and PDF: each is a text, named by its path.

use std::path::{Path, PathBuf};

use super::ROWS_PER_BATCH;
use super::raw::{Batches, RawRow};
use crate::Result;
use crate::texts::folder::{files, named_text};
use crate::texts::values::Word;

pub fn read(folder: &Path) -> Result<Batches> {
    let files = files(folder)?;
    let folder = folder.to_owned();
    let batches: Vec<Vec<PathBuf>> = files.chunks(ROWS_PER_BATCH).map(<[_]>::to_vec).collect();
    let batches = batches.into_iter().map(move |batch| {
        let rows = batch.iter().map(|path| row(&folder, path));
        let rows: Result<Vec<RawRow>> = rows.collect();
        rows.map(Into::into)
    });
    Ok(Box::new(batches))
}

fn row(folder: &Path, path: &Path) -> Result<RawRow> {
    let (name, text) = named_text(folder, path)?;
    Ok(RawRow {
        id: Some(Word::Text(name)),
        text: Some(text),
        ..RawRow::default()
    })
}
