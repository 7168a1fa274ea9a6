//! Files and folders of texts, told apart by looking.

use std::path::Path;
use std::rc::Rc;

use super::row::{Fields, Row};
use super::values::Word;
use super::{csv, folder, json_lines, parquet};
use crate::foreign::{self, Wanted};
use crate::parts;
use crate::{Error, Result};

/// Fields with the number of their row, from 1.
pub(super) type Numbered = (usize, Fields);

/// Every row of a file or folder. Where a row has no id its number stands in, with the file's name
/// where that is `shared` with other files: so texts without ids need not be named by hand.
pub(super) fn rows(path: &Path, shared: bool) -> Result<Vec<Row>> {
    foreign::refuse(path, Wanted::Rows)?;
    let read: Vec<Numbered> = if has_ending(path, &["csv", "tsv"]) && !path.is_dir() {
        csv::read(path)?
    } else if is_parquet(path)? {
        parquet::read(path)?
    } else if path.is_dir() || is_text_file(path) {
        folder::read(path)?
    } else {
        json_lines::read(path)?
    };
    let file: Rc<Path> = path.into();
    let name = path.file_name().unwrap_or(path.as_os_str()).display();
    let stand_in = |number: usize| match shared {
        false => number.to_string(),
        true => format!("{name}:{number}"),
    };
    let row = |(number, mut fields): Numbered| Row {
        id: (fields.id.take()).map_or_else(|| stand_in(number), Word::text),
        file: file.clone(),
        number,
        fields,
    };
    Ok(read.into_iter().map(row).collect())
}

/// The ids that the rows of a file are known by.
pub(crate) fn row_ids(path: &Path, shared: bool) -> Result<Vec<String>> {
    Ok(rows(path, shared)?.into_iter().map(|row| row.id).collect())
}

/// By its ending.
pub(crate) fn is_text_file(path: &Path) -> bool {
    has_ending(path, &["txt", "md", "markdown", "html", "htm", "pdf"])
}

pub(super) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let own = path.extension().unwrap_or_default().to_string_lossy();
    endings
        .iter()
        .any(|ending| own.eq_ignore_ascii_case(ending))
}

/// A file by its first bytes; a folder by the files in it, which are one table, unless there are texts
/// among them; an object always.
pub fn is_parquet(path: &Path) -> Result<bool> {
    use std::io::Read;
    if parts::is_object(path) {
        return Ok(true);
    }
    if path.is_dir() {
        return match parts::is_folder(path) {
            true => folder::no_texts_beside(path).map(|()| true),
            false => Ok(false),
        };
    }
    let mut start = [0; 4];
    let file = std::fs::File::open(path);
    let read = file.and_then(|mut file| file.read(&mut start));
    let length = read.map_err(|error| Error::reading(path, &error))?;
    Ok(length == 4 && start == *b"PAR1")
}
