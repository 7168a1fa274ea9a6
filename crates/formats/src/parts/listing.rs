//! Which files of a folder are parts of its table, in which order, and what its folders say of them.

use std::fs;
use std::path::{Path, PathBuf};

use super::object;
use crate::shadow::folder::{first_bytes, name};
use crate::{Error, Result};

/// What Hive and Spark write in place of a value that is missing.
pub(super) const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";
/// Where Spark keeps what a job has not finished.
const UNFINISHED: &str = "_temporary";

/// How tables of other formats end.
const OTHER_TABLES: [&str; 6] = [".csv", ".tsv", ".arrow", ".feather", ".orc", ".avro"];

/// A part and what the folders above it say.
#[derive(Debug, PartialEq)]
pub(super) struct Listed {
    pub(super) path: PathBuf,
    pub(super) values: Vec<Value>,
}

/// `name=value`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub(super) name: String,
    pub(super) value: Option<String>,
}

/// Whether a path is a folder of Parquet files, by the names in it; of objects, whether it is none by
/// itself.
pub fn is_folder(path: &Path) -> bool {
    if object::is_object(path) {
        return object::is_folder(path);
    }
    path.is_dir() && holds_part(path)
}

/// Whether a path is Parquet: a file, a folder of files, or an object, of which nothing else is read.
pub fn is_parquet(path: &Path) -> bool {
    object::is_object(path) || is_folder(path) || first_bytes(path).starts_with(b"PAR1")
}

fn holds_part(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|entry| {
        let partition = entry.is_dir() && partition(&entry).is_some() && holds_part(&entry);
        is_part(&name(&entry)) && entry.is_file() || partition
    })
}

/// A name that counts.
pub(super) fn is_part(name: &str) -> bool {
    let hidden = name.starts_with(['_', '.']);
    let lower = name.to_ascii_lowercase();
    !hidden
        && [".parquet", ".parq", ".pq"]
            .iter()
            .any(|end| lower.ends_with(end))
}

/// All parts, in the order of their paths; a file is itself.
pub(super) fn parts(path: &Path) -> Result<Vec<Listed>> {
    if object::is_object(path) {
        return object::parts(path);
    }
    let metadata = fs::metadata(path).map_err(|error| Error::reading(path, &error))?;
    if !metadata.is_dir() {
        return Ok(vec![Listed {
            path: path.to_owned(),
            values: Vec::new(),
        }]);
    }
    let mut found = Vec::new();
    check_above(path)?;
    gather(path, &[], &mut found)?;
    if found.is_empty() {
        return Err(no_parts(path));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

pub(super) fn no_parts(path: &Path) -> Error {
    Error::missing("there is no .parquet file in the folder")
        .at(path)
        .hint(
            "give the folder whose files are the table; _ and . at the beginning of a name hide it",
        )
}

fn gather(folder: &Path, values: &[Value], found: &mut Vec<Listed>) -> Result<()> {
    let reading = |error: std::io::Error| Error::reading(folder, &error);
    for entry in fs::read_dir(folder).map_err(reading)? {
        let path = entry.map_err(reading)?.path();
        let own = name(&path);
        if own == UNFINISHED {
            return Err(unfinished(folder));
        }
        if let Some(format) = keeps_log(&path) {
            return Err(has_log(folder, format));
        }
        match partition(&path).filter(|_| path.is_dir()) {
            Some(value) => gather(&path, &[values, &[value]].concat(), found)?,
            None if is_part(&own) && path.is_file() => found.push(Listed {
                path,
                values: values.to_vec(),
            }),
            None if is_left_out(&path, &own) => return Err(left_out(folder, &own)),
            None => {}
        }
    }
    Ok(())
}

/// Rows that nobody would read: those of a folder that is no partition, and of files that are no Parquet, or packed.
fn is_left_out(path: &Path, own: &str) -> bool {
    let hidden = own.starts_with(['_', '.']);
    let table = || {
        let lower = own.to_ascii_lowercase();
        let bare = [".gz", ".zst", ".bz2", ".xz", ".zip"]
            .iter()
            .find_map(|end| lower.strip_suffix(end));
        let packed = bare.is_some_and(is_part);
        let ends = |end: &&str| bare.unwrap_or(&lower).ends_with(*end);
        packed || OTHER_TABLES.iter().any(ends)
    };
    !hidden && (path.is_dir() && holds_part(path) || path.is_file() && table())
}

fn left_out(folder: &Path, own: &str) -> Error {
    Error::malformed(format!(
        "holds {own:?} beside its Parquet files, whose rows would be left out"
    ))
    .at(folder)
    .hint("move it elsewhere if it is no part of the table; if it is, unpack it, or lay its files beside the others")
}

/// What a job left behind is a part of the table at most.
pub(super) fn unfinished(folder: &Path) -> Error {
    Error::malformed("holds a folder _temporary: the job that writes it has not ended, or failed")
        .at(folder)
        .hint("wait for the job or run it again; what is there may be a part of the rows")
}

/// Where table formats keep which of their files count, and what they are called.
const LOGS: [(&str, &str); 3] = [
    ("_delta_log", "Delta Lake"),
    (".hoodie", "Apache Hudi"),
    ("metadata", "Apache Iceberg"),
];

/// The table format whose log a folder of this name is; Iceberg's is known by what lies in it.
pub(super) fn log_of(folder: &str, holds: impl FnOnce(&str) -> bool) -> Option<&'static str> {
    let found = LOGS.iter().find(|(name, _)| *name == folder)?;
    let certain = folder != "metadata" || holds(".metadata.json");
    certain.then_some(found.1)
}

fn keeps_log(path: &Path) -> Option<&'static str> {
    let holds = |end: &str| {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut names = entries.map(|entry| name(&entry.path()));
        names.any(|name| name.contains(end))
    };
    log_of(&name(path), holds).filter(|_| path.is_dir())
}

/// Files that the log counts no more lie beside those that it counts.
pub(super) fn has_log(folder: &Path, format: &str) -> Error {
    Error::unsupported(format!(
        "is a table of {format}, whose log says which of the files count: others are rows that were removed or replaced"
    ))
    .at(folder)
    .hint(
        "write its rows as plain Parquet first, as deltalake.DeltaTable(path).to_pyarrow_table() or Spark reads \
         them",
    )
}

/// A part of such a table is one, too: a partition, or the folder `data`.
fn check_above(path: &Path) -> Result<()> {
    let whole = fs::canonicalize(path).map_err(|error| Error::reading(path, &error))?;
    let mut inside: &Path = &whole;
    while let Some(above) = inside.parent() {
        if partition(inside).is_none() && name(inside) != "data" {
            break;
        }
        let log = |(log, _): &(&str, &str)| keeps_log(&above.join(log));
        if let Some(format) = LOGS.iter().find_map(log) {
            return Err(has_log(above, format));
        }
        inside = above;
    }
    Ok(())
}

/// A folder's name, taken apart.
fn partition(path: &Path) -> Option<Value> {
    partition_of(&name(path))
}

pub(super) fn partition_of(folder: &str) -> Option<Value> {
    let (name, value) = folder.split_once('=')?;
    let hidden = name.is_empty() || name.starts_with(['_', '.']);
    (!hidden).then(|| Value {
        name: decoded(name),
        value: (value != NO_VALUE).then(|| decoded(value)),
    })
}

/// Signs that a path cannot have are written as `%` and two digits.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| first == b'%');
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_are_taken_apart() {
        let value = |folder| partition_of(folder).map(|found| (found.name, found.value));
        assert_eq!(value("a=b=c"), Some(("a".into(), Some("b=c".into()))));
        assert_eq!(
            value("day=10%3A30%zz%4"),
            Some(("day".into(), Some("10:30%zz%4".into())))
        );
        assert_eq!(
            value("a=__HIVE_DEFAULT_PARTITION__"),
            Some(("a".into(), None))
        );
        assert_eq!(
            (value("plain"), value("=b"), value("_a=b")),
            (None, None, None)
        );
    }

    #[test]
    fn only_visible_parquet_is_a_part() {
        let parts = [
            "part-00000-5f.c000.snappy.parquet",
            "train-00000-of-00002.parquet",
            "1_000000.PARQUET",
        ];
        assert!(parts.iter().all(|name| is_part(name)));
        let others = [
            "_SUCCESS",
            ".part-0.parquet.crc",
            "_metadata.parquet",
            ".x.parquet",
            "a.csv",
        ];
        assert!(!others.iter().any(|name| is_part(name)));
    }
}
