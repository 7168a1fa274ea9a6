//! Members and non-members: in two files, or in one that says it row by row. Of some it may be unknown:
//! they are in a file of their own, or have a null in its place.

use std::path::{Path, PathBuf};

use super::checks;
use super::entries::{self, Asked, Entry, Set, SetFile};
use super::row::Row;
use super::values::brief;
use crate::{Error, ErrorKind, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    Member,
    NonMember,
}

impl Membership {
    fn new(member: bool) -> Self {
        match member {
            true => Self::Member,
            false => Self::NonMember,
        }
    }
}

impl Set for Membership {
    fn name(self) -> &'static str {
        match self {
            Self::Member => "a member",
            Self::NonMember => "a non-member",
        }
    }
}

/// The settings that say where the two sets are.
pub(super) struct MemberFiles<'a> {
    /// Of the configuration.
    pub section: &'a str,
    pub file: Option<&'a Path>,
    pub members: Option<&'a Path>,
    pub nonmembers: Option<&'a Path>,
    /// Those of which nobody knows.
    pub unknown: Option<&'a Path>,
    /// What belongs into which.
    pub hint: &'a str,
}

impl MemberFiles<'_> {
    /// Reads and checks both sets, members first where there are two files.
    pub fn read<T: Asked>(
        &self,
        base: &Path,
        asked: impl Fn(Row, Option<bool>) -> Result<T>,
    ) -> Result<Vec<Entry<Membership, T>>> {
        let files = self.files(base)?;
        let own = |row: &Row| Ok(row.member()?.map(Membership::new));
        let is_member = |set: Membership| set == Membership::Member;
        let entries = entries::read(&files, own, |row, set| asked(row, set.map(is_member)))?;
        some_known(&entries)?;
        both_sets(&files, &entries)?;
        Ok(entries)
    }

    fn files(&self, base: &Path) -> Result<Vec<SetFile<Membership>>> {
        let named = [
            (self.file, None),
            (self.members, Some(Membership::Member)),
            (self.nonmembers, Some(Membership::NonMember)),
            (self.unknown, None),
        ];
        let named = named.into_iter();
        let named = named.filter_map(|(path, set)| Some((base.join(path?), set)));
        match (self.file, self.members, self.nonmembers, self.unknown) {
            (Some(_), None, None, _) | (None, Some(_), Some(_), _) => Ok(named.collect()),
            // Somebody who knows of no member asks about his own.
            (None, None, Some(_), Some(_)) => Ok(named.collect()),
            _ => {
                let message = format!(
                    "{} needs members and nonmembers, or file alone",
                    self.section
                );
                Err(Error::new(ErrorKind::Setting, message).hint(self.hint))
            }
        }
    }
}

/// Every path that is named, seen from a folder.
pub(super) fn seen_from(base: &Path, named: &[&Option<PathBuf>]) -> Vec<PathBuf> {
    let named = named.iter().copied().flatten();
    named.map(|path| base.join(path)).collect()
}

/// A file that says it of no row has forgotten it.
fn some_known<T: Asked>(entries: &[Entry<Membership, T>]) -> Result<()> {
    let first = match entries.iter().all(|entry| entry.set.is_none()) {
        true => entries.first(),
        false => None,
    };
    first.map_or(Ok(()), |first| {
        let (row, id) = (first.row, brief(first.asked.id()));
        Err(Error::malformed(format!("row {row} ({id:?}): has no member"))
            .at(&first.file)
            .hint("add a field or column member that is true or false, and null where nobody knows"))
    })
}

fn both_sets<T: Asked>(
    files: &[SetFile<Membership>],
    entries: &[Entry<Membership, T>],
) -> Result<()> {
    let of = |set: Membership| {
        entries
            .iter()
            .filter(|entry| entry.set == Some(set))
            .count()
    };
    let (members, others) = (of(Membership::Member), of(Membership::NonMember));
    let counted = format!(": there are {members} members and {others} non-members");
    checks::no_empty_file(files, entries, &counted)?;
    let unknown = entries.len() - members - others;
    let missing = match (members, others) {
        // Records of unknown membership are held against non-members alone.
        (0, 1..) if unknown > 0 => return Ok(()),
        (0, _) => "member",
        (_, 0) => "non-member",
        _ => return Ok(()),
    };
    let message = format!("there is no {missing} among the {}s{counted}", T::NOUN);
    let hint = format!("an audit compares {}s of both kinds", T::NOUN);
    Err(Error::mismatch(message).hint(hint))
}
