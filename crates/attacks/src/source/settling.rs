//! When enough has been asked about a document: its labels are looked at again and again as rows
//! come in, and asking stops once they stay the same.
//!
//! Looking often is testing often. Each look has an equal share of the level (a union bound), so
//! that stopping at whichever look still holds the level over all of them. That nothing was found
//! settles a document only where nothing is in sight, either: what long texts have to show shows
//! late.

use serde::{Deserialize, Serialize};
use stats::streams::Seed;

use super::attribution::{Attribution, Responses, attribute};
use super::label::Label;
use super::rules::Rules;

/// Rows between two looks, or so many times as many that there are no more than [`MOST_LOOKS`].
pub const LOOK: usize = 16;
pub const MOST_LOOKS: usize = 8;
/// The share of word labels that must stay the same.
pub const SAME: f64 = 0.9;
/// Below this p-value something may be in sight.
pub const IN_SIGHT: f64 = 0.3;

/// What the labels were after so many rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Look {
    pub rows: usize,
    pub document: Label,
    pub tokens: Vec<Label>,
    /// The smaller of the document's two p-values.
    pub least_p: f64,
}

impl Look {
    pub(super) fn new(rows: usize, found: &Attribution) -> Self {
        Self {
            rows,
            document: found.document.label,
            tokens: found.labels.clone(),
            least_p: found.document.off_p.min(found.document.ads_p),
        }
    }

    /// A source was found, or none is in sight.
    fn is_clear(&self) -> bool {
        self.document != Label::NonMember || self.least_p >= IN_SIGHT
    }
}

/// The numbers of rows after which a document of so many rows is looked at; the last is all.
pub fn looks(rows: usize) -> Vec<usize> {
    let step = LOOK * rows.div_ceil(LOOK * MOST_LOOKS).max(1);
    let mut looks: Vec<usize> = (step..rows).step_by(step).collect();
    looks.extend((rows > 0).then_some(rows));
    looks
}

/// Whether the last two looks agree: the document's label, and nine in ten of its words'.
pub fn settled(looks: &[Look]) -> bool {
    match looks {
        [.., before, last] => {
            before.document == last.document
                && last.is_clear()
                && agreement(&before.tokens, &last.tokens) >= SAME
        }
        _ => false,
    }
}

/// The share of words with the same label; 0 for different words.
pub fn agreement(a: &[Label], b: &[Label]) -> f64 {
    let same = a.iter().zip(b).filter(|(a, b)| a == b).count();
    match a.len() == b.len() && !a.is_empty() {
        true => same as f64 / a.len() as f64,
        false => 0.0,
    }
}

/// The labels after the first rows of a document that is looked at as [`looks`] of all its planned
/// rows says; nothing where too few of them were answered.
pub fn look(
    responses: &Responses,
    rows: usize,
    planned: usize,
    rules: &Rules,
    seed: Seed,
    document: u64,
) -> Option<Look> {
    let first = Responses {
        on: &responses.on[..rows.min(responses.on.len())],
        off: &responses.off[..rows.min(responses.off.len())],
        ..*responses
    };
    let rules = rules.shared(looks(planned).len());
    let found = attribute(&first, &rules, seed, document).ok()?;
    Some(Look::new(rows, &found))
}

/// Where a document that was asked in full would have stopped.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Replay {
    /// Rows asked before it stopped.
    pub rows: usize,
    /// All rows.
    pub planned: usize,
    /// Whether the document's label was then what it is after all rows, and the share of its
    /// words' labels that were; both ends at the same share of the level.
    pub document_agrees: bool,
    pub tokens_agree: f64,
}

/// Replays the looks at a document that was asked in full; nothing where its last look fails.
pub fn replayed(responses: &Responses, rules: &Rules, seed: Seed, document: u64) -> Option<Replay> {
    let planned = responses.masks.rows();
    let mut seen: Vec<Look> = Vec::new();
    for rows in looks(planned) {
        seen.extend(look(responses, rows, planned, rules, seed, document));
        if settled(&seen) {
            break;
        }
    }
    let last = look(responses, planned, planned, rules, seed, document)?;
    let stopped = seen.last()?;
    Some(Replay {
        rows: stopped.rows,
        planned,
        document_agrees: stopped.document == last.document,
        tokens_agree: agreement(&stopped.tokens, &last.tokens),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Label::{NonMember, Pretrained, Retrieved};

    fn seen(rows: usize, document: Label, retrieved: usize) -> Look {
        let word = |place| {
            if place < retrieved {
                Retrieved
            } else {
                NonMember
            }
        };
        Look {
            rows,
            document,
            tokens: (0..20).map(word).collect(),
            least_p: 0.5,
        }
    }

    #[test]
    fn two_looks_that_agree_settle_a_document() {
        let first = seen(16, Retrieved, 10);
        assert!(!settled(&[]) && !settled(std::slice::from_ref(&first)));
        assert!(settled(&[first.clone(), seen(32, Retrieved, 12)]));
        assert!(!settled(&[first.clone(), seen(32, Retrieved, 13)]));
        assert!(!settled(&[first.clone(), seen(32, Pretrained, 10)]));
        assert!(!settled(&[
            first.clone(),
            seen(32, Retrieved, 10),
            seen(48, NonMember, 10)
        ]));
    }

    #[test]
    fn nothing_found_settles_nothing_while_something_is_in_sight() {
        let near = Look {
            least_p: 0.05,
            ..seen(32, NonMember, 10)
        };
        assert!(settled(&[seen(16, NonMember, 10), seen(32, NonMember, 10)]));
        assert!(!settled(&[seen(16, NonMember, 10), near.clone()]));
        assert!(settled(&[near, seen(48, NonMember, 10)]));
    }

    #[test]
    fn looks_end_with_all_rows() {
        assert_eq!(looks(64), [16, 32, 48, 64]);
        assert_eq!(looks(40), [16, 32, 40]);
        assert_eq!(looks(2048).len(), MOST_LOOKS);
        assert_eq!(looks(130), [32, 64, 96, 128, 130]);
        assert_eq!(looks(16), [16]);
        assert_eq!(looks(9), [9]);
        assert!(looks(0).is_empty());
    }
}
