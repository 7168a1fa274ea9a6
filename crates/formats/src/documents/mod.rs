//! The documents of an audit: those that the service's store holds, and others like them.

mod controls;
mod folder;
mod items;
mod json_lines;
mod parquet;
mod row;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use attacks::signals::probes::Document;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use stats::streams::{Seed, shuffle};

pub use controls::{Control, Fact, controls_of};
pub use items::{Content, Item, ItemSettings};
use row::Row;

use crate::tokens::{brief, is_parquet};
use crate::{Error, ErrorKind, Result};

/// Where the documents are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DocumentSettings {
    pub members: Option<PathBuf>,
    pub nonmembers: Option<PathBuf>,
    /// One file in place of two, with `member` in every row.
    pub file: Option<PathBuf>,
    /// The most of each set, chosen at random.
    pub limit: Option<usize>,
    /// Documents with invented facts that were put into the store: they must be found again.
    pub controls: Option<PathBuf>,
}

/// A document and what is known of it beside its text.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub document: Document,
    pub member: bool,
    pub topic: Option<String>,
    pub date: Option<String>,
}

impl DocumentSettings {
    /// Every file that is named, seen from a folder.
    pub fn files(&self, base: &Path) -> Vec<PathBuf> {
        let named = [&self.file, &self.members, &self.nonmembers, &self.controls];
        let named = named.into_iter().flatten();
        named.map(|path| base.join(path)).collect()
    }

    /// Reads and checks the documents: members first where there are two files. The seed chooses
    /// which, where there are more than the limit.
    pub fn read(&self, base: &Path, seed: Seed) -> Result<Vec<Listed>> {
        if self.limit == Some(0) {
            return Err(Error::new(ErrorKind::Setting, "documents.limit is 0")
                .hint("give a number from 1, or leave it out"));
        }
        let mut listed = match (&self.file, &self.members, &self.nonmembers) {
            (Some(file), None, None) => read(&base.join(file), None)?,
            (None, Some(members), Some(others)) => {
                let mut listed = read(&base.join(members), Some(true))?;
                listed.extend(read(&base.join(others), Some(false))?);
                listed
            }
            _ => {
                let message = "documents needs members and nonmembers, or file alone";
                return Err(Error::new(ErrorKind::Setting, message).hint(
                    "set documents.members to what the store holds and documents.nonmembers to \
                     what it does not",
                ));
            }
        };
        self.check(&listed)?;
        for member in [true, false] {
            self.choose(&mut listed, member, seed);
        }
        Ok(listed)
    }

    /// The controls, where there are any.
    pub fn controls(&self, base: &Path) -> Result<Vec<Control>> {
        let path = self.controls.as_ref().map(|path| base.join(path));
        path.map_or(Ok(Vec::new()), |path| controls_of(&path))
    }

    fn check(&self, listed: &[Listed]) -> Result<()> {
        for (member, name) in [(true, "member"), (false, "non-member")] {
            if !listed.iter().any(|listed| listed.member == member) {
                let message = format!("there is no {name} among the documents");
                return Err(Error::new(ErrorKind::Mismatch, message)
                    .hint("an audit compares documents of both kinds"));
            }
        }
        no_text_in_both(listed)?;
        no_id_twice(listed)
    }

    /// Keeps so many of a set, in their order.
    fn choose(&self, listed: &mut Vec<Listed>, member: bool, seed: Seed) {
        let of_set = listed.iter().filter(|listed| listed.member == member);
        let total = of_set.count();
        let Some(limit) = self.limit.filter(|limit| *limit < total) else {
            return;
        };
        let name = if member {
            "documents/members"
        } else {
            "documents/nonmembers"
        };
        let mut kept: Vec<bool> = (0..total).map(|place| place < limit).collect();
        shuffle(&mut seed.stream(name), &mut kept);
        let mut kept = kept.into_iter();
        listed.retain(|listed| listed.member != member || kept.next().unwrap_or(false));
    }
}

/// Within a set or across both: what a service cites is known by its id.
fn no_id_twice(listed: &[Listed]) -> Result<()> {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for (place, each) in listed.iter().enumerate() {
        let id = each.document.id.as_str();
        if let Some(first) = seen.insert(id, place) {
            let sets = match (listed[first].member, each.member) {
                (true, true) | (false, false) => "two documents of one set have",
                _ => "a member and a non-member have",
            };
            let message = format!(
                "{sets} the id {:?}: documents {} and {} of all",
                brief(id),
                first + 1,
                place + 1
            );
            return Err(Error::mismatch(message).hint("give every document an id of its own"));
        }
    }
    Ok(())
}

/// A document cannot be in the store and not in it.
fn no_text_in_both(listed: &[Listed]) -> Result<()> {
    let mut members: HashMap<[u8; 32], &str> = HashMap::new();
    for each in listed.iter().filter(|listed| listed.member) {
        members.insert(digest(&each.document.text), &each.document.id);
    }
    for each in listed.iter().filter(|listed| !listed.member) {
        if let Some(member) = members.get(&digest(&each.document.text)) {
            let message = format!(
                "member {:?} and non-member {:?} have the same text",
                brief(member),
                brief(&each.document.id)
            );
            return Err(
                Error::mismatch(message).hint("take it out of the set where it does not belong")
            );
        }
    }
    Ok(())
}

/// Of the words, however they are set.
fn digest(text: &str) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for word in text.split_whitespace() {
        hasher.update(word.as_bytes());
        hasher.update(b" ");
    }
    hasher.finalize().into()
}

/// The documents of one file or folder, whoever is a member.
pub fn documents_of(path: &Path) -> Result<Vec<Document>> {
    let unlabelled = |row: Row| Row {
        member: None,
        ..row
    };
    let listed = rows(path)?
        .into_iter()
        .map(|row| unlabelled(row).listed(Some(false), path));
    let listed = listed.collect::<Result<Vec<Listed>>>()?;
    no_id_twice(&listed).map_err(|error| error.at(path))?;
    Ok(listed.into_iter().map(|listed| listed.document).collect())
}

/// The documents of one file or folder; `member` where that says it for all.
fn read(path: &Path, member: Option<bool>) -> Result<Vec<Listed>> {
    let rows = rows(path)?.into_iter().map(|row| row.listed(member, path));
    rows.collect()
}

fn rows(path: &Path) -> Result<Vec<Row>> {
    let text = path
        .extension()
        .is_some_and(|ending| ending == "txt" || ending == "md");
    let rows: Vec<Row> = if path.is_dir() || text {
        folder::read(path)?
    } else if is_parquet(path)? {
        parquet::read(path)?
    } else {
        json_lines::read(path)?
    };
    if rows.is_empty() {
        return Err(Error::mismatch("holds no document")
            .at(path)
            .hint("an audit compares documents of both kinds"));
    }
    Ok(rows)
}

#[cfg(test)]
mod tests;
