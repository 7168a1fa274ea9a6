//! Members and non-members: in two files, or in one that says it of every row.

use std::path::{Path, PathBuf};

use super::checks;
use super::entries::{self, Asked, Entry, Set, SetFile};
use super::row::Row;
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
    /// What belongs into which.
    pub hint: &'a str,
}

impl MemberFiles<'_> {
    /// Reads and checks both sets, members first where there are two files.
    pub fn read<T: Asked>(
        &self,
        base: &Path,
        asked: impl Fn(Row, bool) -> Result<T>,
    ) -> Result<Vec<Entry<Membership, T>>> {
        let files = self.files(base)?;
        let own = |row: &Row| Ok(row.member()?.map(Membership::new));
        let entries = entries::read(&files, own, |row, set| match set {
            Some(set) => asked(row, set == Membership::Member),
            None => Err(row.wrong(
                "has no member",
                "add a field or column member that is true or false",
            )),
        })?;
        both_sets(&files, &entries)?;
        Ok(entries)
    }

    fn files(&self, base: &Path) -> Result<Vec<SetFile<Membership>>> {
        match (self.file, self.members, self.nonmembers) {
            (Some(file), None, None) => Ok(vec![(base.join(file), None)]),
            (None, Some(members), Some(others)) => Ok(vec![
                (base.join(members), Some(Membership::Member)),
                (base.join(others), Some(Membership::NonMember)),
            ]),
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
    let missing = match (members, others) {
        (0, _) => "member",
        (_, 0) => "non-member",
        _ => return Ok(()),
    };
    let message = format!("there is no {missing} among the {}s{counted}", T::NOUN);
    let hint = format!("an audit compares {}s of both kinds", T::NOUN);
    Err(Error::mismatch(message).hint(hint))
}
