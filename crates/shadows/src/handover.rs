//! A finished model as lines of text, for where a job's log is the only thing that comes back.
//!
//! `guestlist.handover/1 MODEL NAME SHA256 BASE64`, a line per file, and `guestlist.handover/1 MODEL . COUNT` at
//! the end. Other lines are somebody else's words.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{Error, ErrorKind, Result};
use formats::files;

const MARK: &str = "guestlist.handover/1";
/// Behind the mark, where a model is whole.
const END: &str = ".";
/// More than this is not for logs.
const LARGEST: u64 = 64 << 20;

/// The lines of a model's folder.
pub fn write(folder: &Path, model: usize) -> Result<String> {
    let reading = |error: std::io::Error| Error::reading(folder, &error);
    let (mut lines, mut count, mut size) = (String::from("\n"), 0, 0);
    for entry in std::fs::read_dir(folder).map_err(reading)? {
        let entry = entry.map_err(reading)?;
        size += entry.metadata().map_err(reading)?.len();
        if size > LARGEST {
            return Err(Error::new(
                ErrorKind::Write,
                format!(
                    "model {model} is larger than {} MiB, too much for a job's log",
                    LARGEST >> 20
                ),
            )
            .at(folder)
            .hint(
                "set ray.files = \"shared\", with run.folder on a file system that all nodes share",
            ));
        }
        let bytes = std::fs::read(entry.path()).map_err(reading)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let digest = files::sha256_of(&bytes);
        lines += &format!(
            "{MARK} {model} {name} {digest} {}\n",
            STANDARD.encode(&bytes)
        );
        count += 1;
    }
    Ok(lines + &format!("{MARK} {model} {END} {count}\n"))
}

/// Every model that is whole in a log, with its files.
pub fn read(log: &str) -> BTreeMap<usize, BTreeMap<String, Vec<u8>>> {
    let mut parts: BTreeMap<usize, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
    let mut whole = BTreeMap::new();
    for line in log.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let mut words = line.split_ascii_whitespace();
        let (Some(model), Some(name), Some(third)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let Ok(model) = model.parse() else { continue };
        if name == END {
            let files = parts.remove(&model).unwrap_or_default();
            if third.parse() == Ok(files.len()) {
                whole.insert(model, files);
            }
            continue;
        }
        let bytes = words.next().and_then(|text| STANDARD.decode(text).ok());
        let bytes = bytes.filter(|bytes| files::sha256_of(bytes) == third);
        if let Some(bytes) = bytes {
            parts
                .entry(model)
                .or_default()
                .insert(name.to_owned(), bytes);
        }
    }
    whole
}

/// A log without those lines, for people.
pub fn words(log: &str) -> String {
    let lines = log.lines().filter(|line| !line.starts_with(MARK));
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_whole_comes_back_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("scores.npy"), [0u8, 255, 10, 13]).unwrap();
        std::fs::write(folder.path().join("model.json"), "{}").unwrap();
        let lines = write(folder.path(), 7).unwrap();
        let log = format!("some words without an end{lines}more\n");
        let found = read(&log);
        assert_eq!(found.keys().collect::<Vec<_>>(), [&7]);
        assert_eq!(found[&7]["scores.npy"], [0, 255, 10, 13]);
        assert_eq!(words(&log), "some words without an end\nmore\n");
        // Cut anywhere, or changed, it is not there.
        for end in 0..log.len() - "more\n".len() - 1 {
            assert!(read(&log[..end]).is_empty(), "{end}");
        }
        assert!(read(&log.replace("AP8KDQ==", "AP8KDA==")).is_empty());
    }
}
