//! A folder of .txt and .md files: each is a document, named by its path.

use std::path::Path;

use super::row::Row;
use crate::tokens::folder::files;
use crate::tokens::raw::Word;
use crate::{Error, Result};

pub(crate) fn read(folder: &Path) -> Result<Vec<Row>> {
    let files = match folder.is_file() {
        true => vec![folder.to_owned()],
        false => files(folder)?,
    };
    if files.is_empty() {
        return Err(Error::missing("there is no .txt or .md file in the folder")
            .at(folder)
            .hint("give a folder of documents, JSON Lines or Parquet"));
    }
    let rows = files.iter().enumerate();
    rows.map(|(place, path)| row(folder, path, place + 1))
        .collect()
}

fn row(folder: &Path, path: &Path, number: usize) -> Result<Row> {
    let text = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    let text = String::from_utf8(text).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        Error::malformed(format!("is not text in UTF-8: byte {place}"))
            .at(path)
            .hint("convert it, or take it out of the folder")
    })?;
    let name = path.strip_prefix(folder).ok();
    let name = name.filter(|name| !name.as_os_str().is_empty());
    let name = name.or(path.file_name().map(Path::new)).unwrap_or(path);
    let markdown = path.extension().is_some_and(|ending| ending == "md");
    Ok(Row {
        number,
        id: Some(Word::Text(name.display().to_string())),
        title: markdown.then(|| heading(&text)).flatten(),
        text: Some(text),
        ..Row::default()
    })
}

/// The first line, where it is a heading.
fn heading(text: &str) -> Option<String> {
    let first = text
        .trim_start_matches('\u{feff}')
        .trim_start()
        .lines()
        .next()?;
    let title = first.strip_prefix("# ")?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}
