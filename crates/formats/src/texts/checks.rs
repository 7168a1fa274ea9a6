//! What must hold over all texts of an audit, whatever its kind.

use std::collections::HashMap;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::entries::{Asked, Entry, Set, SetFile};
use super::values::brief;
use crate::{Error, Result};

/// Within a set or across them: reports and scores know a text by its id, and so does a service that
/// cites it.
pub(super) fn no_id_twice<S: Set, T: Asked>(entries: &[Entry<S, T>]) -> Result<()> {
    let mut seen: HashMap<&str, &Entry<S, T>> = HashMap::new();
    for entry in entries {
        let id = entry.asked.id();
        if let Some(first) = seen.insert(id, entry) {
            let both = match (first.set, entry.set) {
                (Some(one), Some(other)) if one != other => {
                    format!("{} and {} have", one.name(), other.name())
                }
                _ => format!("two {}s of one set have", T::NOUN),
            };
            let message = format!("{both} the id {:?}: {}", brief(id), places(first, entry));
            let hint = match entry.file.is_dir() {
                true => "an id is a file's path below the folder that is named: move the files of one set a folder \
                         deeper (in/more/a.md in place of in/a.md), or list both sets in JSON Lines with ids of \
                         their own"
                    .to_owned(),
                false => format!(
                    "give every {} an id of its own; what belongs to one person shares a field such as author or \
                     owner, named by audit.group",
                    T::NOUN
                ),
            };
            return Err(Error::mismatch(message).at(&entry.file).hint(hint));
        }
    }
    Ok(())
}

/// A text cannot be in a set and not in it. However its words are set, it is the same text.
pub(super) fn no_text_in_two_sets<S: Set, T: Asked>(entries: &[Entry<S, T>]) -> Result<()> {
    let mut seen: HashMap<[u8; 32], (&Entry<S, T>, S)> = HashMap::new();
    for entry in entries {
        let (Some(text), Some(set)) = (entry.asked.text(), entry.set) else {
            continue;
        };
        let &mut (first, other) = seen.entry(digest(text)).or_insert((entry, set));
        if other != set {
            let message = format!(
                "{} {:?} and {} {:?} have the same text: {}",
                other.name(),
                brief(first.asked.id()),
                set.name(),
                brief(entry.asked.id()),
                places(first, entry)
            );
            return Err(Error::mismatch(message)
                .at(&entry.file)
                .hint("take it out of the set where it does not belong"));
        }
    }
    Ok(())
}

/// Every file that is named must hold something.
pub(super) fn no_empty_file<S, T: Asked>(
    files: &[SetFile<S>],
    entries: &[Entry<S, T>],
    counted: &str,
) -> Result<()> {
    let is_empty = |path: &Path| !entries.iter().any(|entry| &*entry.file == path);
    match files.iter().find(|(path, _)| is_empty(path)) {
        None => Ok(()),
        Some((path, _)) => Err(Error::mismatch(format!("holds no {}{counted}", T::NOUN))
            .at(path)
            .hint("an audit compares sets that hold something: fill the file, or name another")),
    }
}

fn places<S, T>(first: &Entry<S, T>, second: &Entry<S, T>) -> String {
    format!(
        "row {} of {} and row {}",
        first.row,
        first.file.display(),
        second.row
    )
}

fn digest(text: &str) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for word in text.split_whitespace() {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
    }
    hasher.finalize().into()
}
