//! Non-members that are nearly copies of members: a model that learned the one knows the other.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::runs::Runs;

/// A text is nearly a copy when this share of its runs of eight words occurs among members.
const COPY: f64 = 0.5;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Duplicates {
    /// Non-members of which at least half of the runs of eight words occur in members; of canaries, those
    /// whose whole text does.
    pub copies: usize,
    pub nonmembers: usize,
    /// The first few records of them.
    pub examples: Vec<usize>,
    /// One in so many runs was looked at: one, but of very many texts.
    #[serde(default = "every", skip_serializing_if = "is_every")]
    pub one_run_in: usize,
}

fn every() -> usize {
    1
}

fn is_every(one_run_in: &usize) -> bool {
    *one_run_in == 1
}

/// Nothing where there are no texts of one kind. `row` gives a text's number in the report.
pub(super) fn find(
    runs: &Runs,
    members: &[bool],
    row: impl Fn(usize) -> usize,
) -> Option<Duplicates> {
    let shares = runs.shares(members);
    let share = |place: usize| shares[place].filter(|_| !members[place]);
    let copied = |place: usize| share(place).map(|share| share >= COPY);
    let found = counted(members, copied, row)?;
    Some(Duplicates {
        one_run_in: runs.one_in(),
        ..found
    })
}

/// The same of texts that may be alike in parts: only whole texts count, which are known by their
/// digests.
pub(super) fn find_exact(
    digests: &[u64],
    members: &[bool],
    row: impl Fn(usize) -> usize,
) -> Option<Duplicates> {
    let known: HashSet<u64> = (digests.iter().zip(members))
        .filter(|(_, member)| **member)
        .map(|(digest, _)| *digest)
        .collect();
    counted(members, |place| Some(known.contains(&digests[place])), row)
}

/// How many of the texts that are no members are copies, where that is known of them.
fn counted(
    members: &[bool],
    is_copy: impl Fn(usize) -> Option<bool>,
    row: impl Fn(usize) -> usize,
) -> Option<Duplicates> {
    let outsiders = (0..members.len()).filter(|place| !members[*place]);
    let looked_at: Vec<(usize, bool)> = outsiders
        .filter_map(|place| Some((place, is_copy(place)?)))
        .collect();
    let copies = looked_at.iter().filter(|(_, copy)| *copy);
    let found = !looked_at.is_empty() && members.contains(&true);
    found.then(|| Duplicates {
        copies: copies.clone().count(),
        nonmembers: looked_at.len(),
        examples: copies.take(3).map(|(place, _)| row(*place)).collect(),
        one_run_in: 1,
    })
}
