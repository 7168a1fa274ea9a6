//! Which column is what, from the names that the user gives.

use std::path::Path;

use super::wanted::Wanted;
use crate::{Error, ErrorKind, Result};

/// How many names a message lists before it counts the rest.
const MOST_LISTED: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Label,
    Id,
    Ignore,
    Category,
    Number,
    /// Nothing was said: the values decide.
    Look,
}

/// One role per column. A column that is named must be there, and is named once.
pub(crate) fn assign(names: &[String], wanted: &Wanted, path: &Path) -> Result<Vec<Role>> {
    let mut roles = vec![Role::Look; names.len()];
    for (name, role) in said(wanted) {
        let place = find(names, name).ok_or_else(|| unknown(names, name).at(path))?;
        if (roles[place], role) == (Role::Label, Role::Category) {
            // Classes, though they look like numbers.
            continue;
        }
        if roles[place] != Role::Look && roles[place] != role {
            return Err(named_twice(&names[place], roles[place], role).at(path));
        }
        roles[place] = role;
    }
    Ok(roles)
}

fn said(wanted: &Wanted) -> Vec<(&str, Role)> {
    let lists = [
        (std::slice::from_ref(&wanted.label), Role::Label),
        (wanted.id.as_slice(), Role::Id),
        (&wanted.ignore, Role::Ignore),
        (&wanted.categories, Role::Category),
        (&wanted.numbers, Role::Number),
    ];
    let mut said = Vec::new();
    for (names, role) in lists {
        said.extend(names.iter().map(|name| (name.as_str(), role)));
    }
    said
}

/// The place of a column by its name, or by its position as `#3`.
pub(crate) fn find(names: &[String], name: &str) -> Option<usize> {
    let by_name = names.iter().position(|there| there == name);
    let by_position = || name.strip_prefix('#')?.parse().ok();
    by_name
        .or_else(by_position)
        .filter(|place| *place < names.len())
}

/// Whether a list of names or places holds this column.
pub(crate) fn lists(names: &[String], list: &[String], column: &str) -> bool {
    let is_it = |name: &String| find(names, name).is_some_and(|place| names[place] == column);
    list.iter().any(is_it)
}

/// A column of this name must be there.
pub(crate) fn check(names: &[String], name: &str, path: &Path) -> Result<()> {
    let found = find(names, name).map(|_| ());
    found.ok_or_else(|| unknown(names, name).at(path))
}

pub(crate) fn unknown(names: &[String], name: &str) -> Error {
    let hint = match text::nearest(names, name) {
        Some(nearest) => format!("did you mean {nearest}?"),
        None => format!(
            "name one of them, or #0 to #{}",
            names.len().saturating_sub(1)
        ),
    };
    let there = listed(names);
    Error::missing(format!(
        "there is no column {name}; the columns are: {there}"
    ))
    .hint(hint)
}

/// The names in one line, the first of them if there are many.
pub fn listed(names: &[String]) -> String {
    let first = names[..names.len().min(MOST_LISTED)].join(", ");
    match names.len().checked_sub(MOST_LISTED) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}

fn named_twice(name: &str, first: Role, second: Role) -> Error {
    let message = format!(
        "the column {name} is named {} and {}",
        first.word(),
        second.word()
    );
    Error::new(ErrorKind::Mismatch, message).hint("name it once")
}

impl Role {
    fn word(self) -> &'static str {
        match self {
            Role::Label => "as the label",
            Role::Id => "as the id",
            Role::Ignore => "to be ignored",
            Role::Category => "as a category",
            Role::Number => "as a number",
            Role::Look => "for nothing",
        }
    }
}
