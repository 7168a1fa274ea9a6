//! What rows become: a text, document or item, with its place and the set that it is of.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use stats::streams::Seed;

use super::checks;
use super::row::Row;
use super::rows::rows;
use crate::{Error, ErrorKind, Result};

/// What a set is called: "a member".
pub(super) trait Set: Copy + PartialEq {
    fn name(self) -> &'static str;
}

/// What an audit asks about.
pub(super) trait Asked {
    /// What one of them is called: "document".
    const NOUN: &'static str;
    fn id(&self) -> &str;
    fn text(&self) -> Option<&str>;
}

pub(super) struct Entry<S, T> {
    pub file: Rc<Path>,
    pub row: usize,
    /// Where it is known.
    pub set: Option<S>,
    pub asked: T,
}

/// A file, and the set that all of its rows are of, where that is known.
pub(super) type SetFile<S> = (PathBuf, Option<S>);

/// Reads and checks all files of an audit. `own` is what a row says of its set.
pub(super) fn read<S: Set, T: Asked>(
    files: &[SetFile<S>],
    own: impl Fn(&Row) -> Result<Option<S>>,
    asked: impl Fn(Row, Option<S>) -> Result<T>,
) -> Result<Vec<Entry<S, T>>> {
    let mut entries = Vec::new();
    for (path, set) in files {
        for row in rows(path, files.len() > 1)? {
            let set = agreed(&row, *set, own(&row)?, T::NOUN)?;
            entries.push(Entry {
                file: row.file.clone(),
                row: row.number,
                set,
                asked: asked(row, set)?,
            });
        }
    }
    checks::no_text_in_two_sets(&entries)?;
    checks::no_id_twice(&entries)?;
    Ok(entries)
}

fn agreed<S: Set>(row: &Row, file: Option<S>, own: Option<S>, noun: &str) -> Result<Option<S>> {
    match (file, own) {
        (Some(file), Some(own)) if file != own => Err(row.wrong(
            format!(
                "is {} but its file is named for {}",
                own.name(),
                file.name()
            ),
            &format!("put every {noun} into the file that is named for its set"),
        )),
        (file, own) => Ok(file.or(own)),
    }
}

/// Refuses a limit that leaves nothing.
pub(super) fn check_limit(section: &str, limit: Option<usize>) -> Result<()> {
    match limit {
        Some(0) => Err(
            Error::new(ErrorKind::Setting, format!("{section}.limit is 0"))
                .hint("give a number from 1, or leave it out"),
        ),
        _ => Ok(()),
    }
}

/// Keeps so many of a set, drawn by lot, in their order. What a smaller limit keeps, a larger one keeps
/// too, and rows that are added change nobody's lot: answers that were paid for are used again.
pub(super) fn limit<S: Set, T: Asked>(
    entries: &mut Vec<Entry<S, T>>,
    set: Option<S>,
    limit: Option<usize>,
    stream: &str,
    seed: Seed,
) {
    let of_set = |entry: &Entry<S, T>| entry.set == set;
    let total = entries.iter().filter(|entry| of_set(entry)).count();
    let Some(limit) = limit.filter(|limit| *limit < total) else {
        return;
    };
    let mut lots: Vec<(u64, usize)> = (entries.iter().enumerate())
        .filter(|(_, entry)| of_set(entry))
        .map(|(place, entry)| (lot(seed, stream, &entry.asked), place))
        .collect();
    lots.sort_unstable();
    let kept: HashSet<usize> = lots
        .into_iter()
        .take(limit)
        .map(|(_, place)| place)
        .collect();
    let mut place = 0..;
    entries.retain(|entry| {
        let place = place.next().unwrap_or(usize::MAX);
        !of_set(entry) || kept.contains(&place)
    });
}

/// By its own words alone, so that no order in a file shows.
pub(super) fn lot<T: Asked>(seed: Seed, stream: &str, asked: &T) -> u64 {
    let text = asked.text().filter(|text| !text.is_empty());
    seed.lot(stream, text.unwrap_or_else(|| asked.id()))
}

/// What is asked about, without its place.
pub(super) fn asked<S, T>(entries: Vec<Entry<S, T>>) -> Vec<T> {
    entries.into_iter().map(|entry| entry.asked).collect()
}
