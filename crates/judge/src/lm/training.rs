//! The file that the model was trained on: members must be in it, non-members must not.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use text::{RUN, hashed_words};

/// A text is in the file when this share of its runs of eight words is. Tokenizers and chunking
/// change spaces and edges, not words.
const THERE: f64 = 0.9;

/// The runs of the audited texts, and which of them a training file has. So the file may be of any
/// size: it is read past, and nothing of it is kept.
pub struct TrainingSet {
    /// Sorted.
    runs: Vec<u64>,
    there: Vec<bool>,
    pub texts: usize,
}

impl TrainingSet {
    pub(super) fn new<'a>(audited: impl ParallelIterator<Item = &'a str>) -> Self {
        let mut runs: Vec<u64> = audited.flat_map_iter(text::runs).collect();
        runs.par_sort_unstable();
        runs.dedup();
        Self {
            there: vec![false; runs.len()],
            runs,
            texts: 0,
        }
    }

    pub fn add(&mut self, text: &str) {
        self.texts += 1;
        // In pieces that overlap by a run: a whole file may be one text.
        let mut rest = text;
        loop {
            let piece: &str = first_part(rest);
            for run in text::runs(piece) {
                if let Ok(place) = self.runs.binary_search(&run) {
                    self.there[place] = true;
                }
            }
            if piece.len() == rest.len() {
                return;
            }
            rest = &rest[overlap_start(piece)..];
        }
    }

    fn has(&self, run: u64) -> bool {
        let place = self.runs.binary_search(&run);
        place.is_ok_and(|place| self.there[place])
    }

    /// The share of a text's runs that the file has; zero for a text without words.
    fn share_of(&self, text: &str) -> f64 {
        let runs = text::runs(text);
        let there = runs.iter().filter(|run| self.has(**run)).count();
        there as f64 / runs.len().max(1) as f64
    }

    /// How many members and non-members are in the file.
    pub fn share(&self, texts: &[&str], members: &[bool]) -> TrainingShare {
        let there: Vec<bool> = (texts.par_iter())
            .map(|text| self.share_of(text) >= THERE)
            .collect();
        let count = |kind: bool, found: bool| {
            (there.iter().zip(members))
                .filter(|(there, member)| **member == kind && (**there || !found))
                .count()
        };
        TrainingShare {
            training_texts: self.texts,
            members: count(true, false),
            members_found: count(true, true),
            nonmembers: count(false, false),
            nonmembers_found: count(false, true),
        }
    }
}

/// Bytes of a long text that are looked at together: fewer words than are ever looked at.
const PART: usize = 4096;

fn first_part(text: &str) -> &str {
    if text.len() <= PART {
        return text;
    }
    let mut end = PART;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    // To the next gap between words, so that none is cut.
    let gap = text[end..].find(|letter: char| !letter.is_alphanumeric());
    &text[..gap.map_or(text.len(), |gap| end + gap)]
}

/// Where the last run of words of a part begins, so that runs across the cut are seen.
fn overlap_start(part: &str) -> usize {
    let starts: Vec<usize> = part
        .char_indices()
        .rev()
        .filter(|(_, letter)| !letter.is_alphanumeric())
        .map(|(place, _)| place)
        .take(8 * RUN)
        .collect();
    let enough = |start: &&usize| hashed_words(&part[**start..]).len() >= RUN;
    let start = starts.iter().find(enough).copied();
    start.filter(|start| *start > 0).unwrap_or(part.len())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TrainingShare {
    pub training_texts: usize,
    pub members: usize,
    pub members_found: usize,
    pub nonmembers: usize,
    pub nonmembers_found: usize,
}
