//! Looking around on disk: what a folder holds, and how a file starts.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::files::is_pipe;
use crate::{Error, Result};

/// The first bytes of a file, or none where it cannot be read.
pub fn first_bytes(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if is_pipe(path) {
        return bytes;
    }
    if let Ok(file) = File::open(path) {
        // A folder opens but does not read: it starts with nothing.
        let _ = file.take(16).read_to_end(&mut bytes);
    }
    bytes
}

pub(crate) fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// The folders inside a folder whose names are wanted, numbers in their names in numeric order.
pub(crate) fn folders(path: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(path).map_err(|e| Error::reading(path, &e))?;
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| Error::reading(path, &e))?.path();
        if entry.is_dir() && wanted(&name(&entry)) {
            found.push(entry);
        }
    }
    found.sort_by_cached_key(|path| (natural_key(&name(path)), path.clone()));
    Ok(found)
}

pub fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Text and numbers in turn, so that `experiment-10_16` follows `experiment-2_16`.
fn natural_key(name: &str) -> Vec<(String, u128)> {
    let mut key = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let (text, after) = split_while(rest, |c| !c.is_ascii_digit());
        let (digits, after) = split_while(after, |c| c.is_ascii_digit());
        key.push((text.to_owned(), digits.parse().unwrap_or(u128::MAX)));
        rest = after;
    }
    key
}

fn split_while(text: &str, keep: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !keep(c)).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_sort_as_numbers() {
        let mut names = [
            "experiment-10_16",
            "experiment-2_16",
            "experiment-1_16",
            "9",
        ];
        names.sort_by_cached_key(|name| natural_key(name));
        assert_eq!(
            names,
            [
                "9",
                "experiment-1_16",
                "experiment-2_16",
                "experiment-10_16"
            ]
        );
    }
}
