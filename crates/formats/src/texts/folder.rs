//! A folder of texts, Markdown, HTML and PDF: each file is a text, named by its path.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::row::Fields;
use super::rows::{Numbered, has_ending, is_text_file};
use super::values::Word;
use super::{html, markdown, pdf};
use crate::parts;
use crate::{Error, Result};

pub(super) fn read(folder: &Path) -> Result<Vec<Numbered>> {
    let files = files(folder)?.into_iter().enumerate();
    files
        .map(|(place, path)| Ok((place + 1, fields(folder, &path)?)))
        .collect()
}

fn fields(folder: &Path, path: &Path) -> Result<Fields> {
    let (title, text) = titled_text(path)?;
    let name = name(folder, path);
    Ok(Fields {
        id: Some(Word::Text(name)),
        title: title.map(Value::String),
        text: Some(text),
        ..Fields::default()
    })
}

/// A file's name, seen from its folder, and its text.
pub(crate) fn named_text(folder: &Path, path: &Path) -> Result<(String, String)> {
    let (_, text) = titled_text(path)?;
    Ok((name(folder, path), text))
}

/// A file's title, where it has one, and its text as a reader sees it.
fn titled_text(path: &Path) -> Result<(Option<String>, String)> {
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    if has_ending(path, &["pdf"]) {
        return Ok((None, pdf::text(path, &bytes)?));
    }
    let text = decoded(path, bytes)?;
    if has_ending(path, &["html", "htm"]) {
        let page = html::page(&text);
        return Ok((page.title, page.text));
    }
    Ok(match has_ending(path, &["md", "markdown"]) {
        true => markdown::page(text),
        false => (None, text),
    })
}

fn decoded(path: &Path, bytes: Vec<u8>) -> Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to() + 1;
        Error::malformed(format!("is not text in UTF-8: byte {place}"))
            .at(path)
            .hint("convert it, or take it out of the folder")
    })
}

fn name(folder: &Path, path: &Path) -> String {
    let name = path.strip_prefix(folder).ok();
    let name = name.filter(|name| !name.as_os_str().is_empty());
    let name = name.or(path.file_name().map(Path::new)).unwrap_or(path);
    name.display().to_string()
}

/// What Hugging Face and others put beside the files of a table.
const ABOUT: [&str; 4] = ["readme", "license", "licence", "changelog"];

/// Refuses a folder of Parquet files that also has texts: which of them are meant cannot be known, and
/// those that are not would be left out of the audit.
pub(super) fn no_texts_beside(folder: &Path) -> Result<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| Error::reading(folder, &error))?;
    let mut names: Vec<String> = (entries.flatten().map(|entry| entry.path()))
        .filter(|path| is_text_file(path))
        .map(|path| crate::shadow::folder::name(&path))
        .filter(|name| {
            let lower = name.to_lowercase();
            !name.starts_with(['_', '.']) && !ABOUT.iter().any(|about| lower.starts_with(about))
        })
        .collect();
    names.sort_unstable();
    match names.first() {
        None => Ok(()),
        Some(name) => Err(Error::unsupported(format!(
            "holds Parquet files and texts such as {name}"
        ))
        .at(folder)
        .hint("give a folder that holds one kind of them")),
    }
}

/// Every file of text below a folder, in the order of their paths; a file is itself.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.is_file() {
        return Ok(vec![folder.to_owned()]);
    }
    let Held { mut texts, .. } = held(folder)?;
    if texts.is_empty() {
        return Err(
            Error::missing("there is no .txt, .md, .html or .pdf file in the folder")
                .at(folder)
                .hint("give a folder of texts, JSON Lines, CSV or Parquet"),
        );
    }
    texts.sort();
    Ok(texts)
}

/// What lies below a folder, in no order.
#[derive(Default)]
struct Held {
    texts: Vec<PathBuf>,
    others: Vec<PathBuf>,
}

fn held(folder: &Path) -> Result<Held> {
    let mut held = Held::default();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let reading = |error: std::io::Error| Error::reading(&folder, &error);
        for entry in std::fs::read_dir(&folder).map_err(reading)? {
            let entry = entry.map_err(reading)?;
            // Links are not followed: a circle of them would have no end.
            if entry.file_type().map_err(reading)?.is_dir() {
                open.push(entry.path());
            } else if is_text_file(&entry.path()) {
                held.texts.push(entry.path());
            } else {
                held.others.push(entry.path());
            }
        }
    }
    Ok(held)
}

/// The files beside the texts of a folder that are none as far as one can tell, seen from it and in the
/// order of their paths. Of other folders, and of hidden files, there is nothing to say.
pub fn left_out(folder: &Path) -> Vec<String> {
    if !folder.is_dir() || parts::is_folder(folder) {
        return Vec::new();
    }
    // What cannot be read was refused by whoever read the texts.
    let held = held(folder).unwrap_or_default();
    if held.texts.is_empty() {
        return Vec::new();
    }
    let hidden = |name: &String| name.split(['/', '\\']).any(|part| part.starts_with('.'));
    let names = held.others.iter().map(|path| name(folder, path));
    let mut names: Vec<String> = names.filter(|name| !hidden(name)).collect();
    names.sort();
    names
}
