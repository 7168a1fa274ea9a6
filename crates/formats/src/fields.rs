//! One column or field of any table, as it is written: what records can be sliced by.
//!
//! Values are handed on row by row, in the order in which every other reader of the same file hands on
//! records. An empty cell, a null or a field that is not there is none.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use arrow_array::Array;
use arrow_schema::{DataType, Field};
use serde_json::{Map, Value};

use crate::data::{header_has, no_such_column, place_of, texts_with_header};
use crate::lines::{self, Lines, plain};
use crate::npy;
use crate::parts::{self, Parts};
use crate::shadow::folder::first_bytes;
use crate::shadow::ids;
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::texts::row_ids;
use crate::tokens::parquet::{column as cast_column, string};
use crate::{Error, Result};

const ROWS_PER_BATCH: usize = 1 << 14;

/// What a column says of records, for messages.
pub(crate) struct Meaning {
    /// How a column is told that says nothing of any record, after its name.
    pub(crate) empty: &'static str,
    pub(crate) hint: &'static str,
}

const VALUE: Meaning = Meaning {
    empty: "is empty in every row",
    hint: "a value is a text, a number or a truth; leave it empty where it is not known",
};

/// What the column of this name says of each record; nothing where it is empty. `header` says whether
/// the first line of a CSV names the columns, where looking is not enough.
pub fn column(path: &Path, name: &str, header: Option<bool>) -> Result<Vec<Option<String>>> {
    column_meaning(path, name, header, &VALUE)
}

pub(crate) fn column_meaning(
    path: &Path,
    name: &str,
    header: Option<bool>,
    meaning: &Meaning,
) -> Result<Vec<Option<String>>> {
    if let Some(array) = array_in(path, name) {
        let named = ids::read(&npy::open(&array)?)?;
        return Ok(named.into_iter().map(Some).collect());
    }
    if path.is_dir() && !parts::is_folder(path) {
        let message = format!("is a folder, whose files have no field {name}");
        return Err(Error::unsupported(message)
            .at(path)
            .hint("give a CSV, Parquet, JSON Lines or npz file with one row per record"));
    }
    let named = if parts::is_parquet(path) {
        of_parquet(path, name, meaning)?
    } else if first_bytes(path).starts_with(b"PK\x03\x04") {
        of_npz(path, name)?
    } else if is_json_lines(path)? {
        of_json_lines(path, name, meaning)?
    } else {
        of_csv(path, name, header)?
    };
    let named: Vec<Option<String>> = named
        .into_iter()
        .map(|name| name.filter(|name| is_there(name)))
        .collect();
    match named.iter().any(Option::is_some) {
        true => Ok(named),
        false => Err(Error::malformed(format!("{name} {}", meaning.empty))
            .at(path)
            .hint(meaning.hint)),
    }
}

/// The first of these names that a column or field has.
pub(crate) fn first_there<'a>(path: &Path, names: &[&'a str]) -> Result<Option<&'a str>> {
    let there = |has: &dyn Fn(&str) -> bool| names.iter().copied().find(|name| has(name));
    if path.is_dir() && !parts::is_folder(path) {
        return Ok(there(&|name| array_in(path, name).is_some()));
    }
    if parts::is_parquet(path) {
        let parts = Parts::open(path)?;
        return Ok(there(&|name| parts.has(name)));
    }
    if first_bytes(path).starts_with(b"PK\x03\x04") {
        let archive = Archive::open(path)?;
        return Ok(there(&|name| archive.has(name)));
    }
    if is_json_lines(path)? {
        let mut found = BTreeSet::new();
        for row in objects(path)? {
            found.extend(row?.1.into_iter().map(|(name, _)| name));
        }
        return Ok(there(&|name| found.contains(name)));
    }
    for name in names {
        if header_has(path, name)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The file of an array in a folder of arrays.
pub(crate) fn array_in(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = !name.contains(['/', '\\']) && folder.is_dir();
    let array = folder.join(format!("{name}.npy"));
    (plain && array.is_file()).then_some(array)
}

/// Of texts and documents, the value by the id that the other readers know each row by.
pub fn by_id(files: &[PathBuf], name: &str) -> Result<HashMap<String, String>> {
    by_id_meaning(files, name, &VALUE)
}

pub(crate) fn by_id_meaning(
    files: &[PathBuf],
    name: &str,
    meaning: &Meaning,
) -> Result<HashMap<String, String>> {
    let mut values = HashMap::new();
    for path in files {
        let named = column_meaning(path, name, None, meaning)?;
        for (id, value) in row_ids(path, files.len() > 1)?.into_iter().zip(named) {
            values.extend(value.map(|value| (id, value)));
        }
    }
    Ok(values)
}

fn is_there(value: &str) -> bool {
    !value.trim().is_empty()
}

fn of_npz(path: &Path, name: &str) -> Result<Vec<Option<String>>> {
    let mut archive = Archive::open(path)?;
    if !archive.has(name) {
        return Err(no_such_column(&archive.names(), name).at(path));
    }
    let named = ids::read(&archive.fetch(name)?)?;
    Ok(named.into_iter().map(Some).collect())
}

fn of_parquet(path: &Path, name: &str, meaning: &Meaning) -> Result<Vec<Option<String>>> {
    let parts = Parts::open(path)?;
    if !parts.has(name) {
        return Err(no_such_column(&parts.names(), name).at(path));
    }
    let mut values = Vec::new();
    for batch in parts.read(|field: &Field| field.name() == name, ROWS_PER_BATCH) {
        let batch = batch?;
        let texts = cast_column(&batch.columns, name, &DataType::Utf8);
        let texts = texts.map_err(|error| error.at(&batch.path).hint(meaning.hint))?;
        values.extend((0..batch.columns.num_rows()).map(|row| string(&texts, row)));
    }
    Ok(values)
}

fn is_json_lines(path: &Path) -> Result<bool> {
    let first = Lines::open(path)?.next().transpose()?;
    Ok(first.is_some_and(|(_, line)| line.trim_ascii_start().starts_with(b"{")))
}

/// Objects with the numbers of their lines.
fn objects(path: &Path) -> Result<impl Iterator<Item = Result<(usize, Map<String, Value>)>> + '_> {
    let row = |line: Result<(usize, Vec<u8>)>| {
        let (number, line) = line?;
        let row = lines::object(&line).map_err(|error| {
            Error::malformed(format!("line {number}: {}", plain(&error)))
                .at(path)
                .hint("every line is a JSON object, whose fields have a name of their own each")
        })?;
        Ok((number, row))
    };
    Ok(Lines::open(path)?.map(row))
}

fn of_json_lines(path: &Path, name: &str, meaning: &Meaning) -> Result<Vec<Option<String>>> {
    let mut values = Vec::new();
    for row in objects(path)? {
        let (number, mut row) = row?;
        values.push(match row.remove(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text),
            Some(Value::Number(number)) => Some(number.to_string()),
            Some(Value::Bool(truth)) => Some(truth.to_string()),
            Some(other) => {
                let shown: String = other.to_string().chars().take(60).collect();
                return Err(
                    Error::malformed(format!("line {number}: {name} is {shown}"))
                        .at(path)
                        .hint(meaning.hint),
                );
            }
        });
    }
    match values.iter().all(Option::is_none) {
        true => Err(Error::missing(format!("no line has a field {name}"))
            .at(path)
            .hint(meaning.hint)),
        false => Ok(values),
    }
}

fn of_csv(path: &Path, name: &str, header: Option<bool>) -> Result<Vec<Option<String>>> {
    let table = texts_with_header(path, name, header)?;
    let names = table.columns.iter().map(|(name, _)| name.clone());
    let names: Vec<String> = names.collect();
    let place = place_of(&names, name).ok_or_else(|| no_such_column(&names, name).at(path))?;
    let cells = &table.columns[place].1;
    let cell = |row: usize| cells.is_valid(row).then(|| cells.value(row).to_owned());
    Ok((0..cells.len()).map(cell).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    fn shown(found: &[Option<String>]) -> Vec<&str> {
        let shown = found.iter().map(|value| value.as_deref().unwrap_or("-"));
        shown.collect()
    }

    #[test]
    fn csv_and_json_lines_are_read_row_by_row() {
        let (_folder, path) = file("a.csv", "town,x\nrom,1\n,2\noslo,3\n");
        let found = column(&path, "town", None).unwrap();
        assert_eq!(shown(&found), ["rom", "-", "oslo"]);
        let text = "{\"town\": \"rom\"}\n\n{\"town\": null}\n{\"town\": 7}\n{\"town\": true}\n{}\n";
        let (_folder, path) = file("a.jsonl", text);
        let found = column(&path, "town", None).unwrap();
        assert_eq!(shown(&found), ["rom", "-", "7", "true", "-"]);
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let (folder, path) = file("a.csv", "town,x\n,1\n,2\n");
        let refused = |path: &Path, name: &str| column(path, name, None).unwrap_err().to_string();
        assert!(refused(&path, "town").contains("town is empty in every row"));
        assert!(refused(&path, "twon").contains("did you mean town?"));
        let (_folder, lines) = file("a.jsonl", "{\"town\": [1]}\n");
        assert!(refused(&lines, "town").contains("line 1: town is [1]"));
        assert!(refused(&lines, "author").contains("no line has a field author"));
        assert!(refused(folder.path(), "town").contains("is a folder"));
    }

    #[test]
    fn values_of_texts_are_known_by_the_ids_of_their_rows() {
        let text = "{\"id\": \"a\", \"text\": \"x\", \"topic\": \"law\"}\n{\"text\": \"y\", \
                    \"topic\": \"art\"}\n{\"text\": \"z\"}\n";
        let (_folder, path) = file("texts.jsonl", text);
        let values = by_id(&[path], "topic").unwrap();
        assert_eq!(values.len(), 2);
        assert_eq!((values["a"].as_str(), values["2"].as_str()), ("law", "art"));
    }
}
