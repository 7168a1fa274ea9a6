//! Non-members that are nearly copies of members: a model that learned the one knows the other.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use text::{Grams, share_known};

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
}

/// Nothing where there are no texts of one kind.
pub fn find(
    grams: &[Grams],
    members: &[bool],
    record: impl Fn(usize) -> usize,
) -> Option<Duplicates> {
    let known: HashSet<u64> = (grams.iter().zip(members))
        .filter(|(_, member)| **member)
        .flat_map(|(grams, _)| grams.runs.iter().copied())
        .collect();
    let outsiders: Vec<usize> = (0..grams.len()).filter(|place| !members[*place]).collect();
    let copies: Vec<usize> = (outsiders.iter().copied())
        .filter(|&place| share_known(&grams[place].runs, &known) >= COPY)
        .collect();
    let found = !outsiders.is_empty() && outsiders.len() < grams.len();
    found.then(|| Duplicates {
        copies: copies.len(),
        nonmembers: outsiders.len(),
        examples: copies.into_iter().take(3).map(record).collect(),
    })
}

/// The same of texts that may be alike in parts: only whole texts count.
pub fn find_exact(
    texts: &[&str],
    members: &[bool],
    record: impl Fn(usize) -> usize,
) -> Option<Duplicates> {
    let known: HashSet<&str> = (texts.iter().zip(members))
        .filter(|(_, member)| **member)
        .map(|(text, _)| text.trim())
        .collect();
    let outsiders: Vec<usize> = (0..texts.len()).filter(|place| !members[*place]).collect();
    let copies = outsiders.iter().copied();
    let copies: Vec<usize> = copies
        .filter(|&place| known.contains(texts[place].trim()))
        .collect();
    let found = !outsiders.is_empty() && outsiders.len() < texts.len();
    found.then(|| Duplicates {
        copies: copies.len(),
        nonmembers: outsiders.len(),
        examples: copies.into_iter().take(3).map(record).collect(),
    })
}
