//! Which chunks a question is answered from.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::Deserialize;

use crate::index::{Hit, Index, best};
use crate::{Error, ErrorKind, Result};

/// How chunks are compared with a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Mode {
    /// By their words.
    #[default]
    Bm25,
    /// By their embeddings.
    Dense,
    /// By both, their ranks fused.
    Hybrid,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Bm25, Self::Dense, Self::Hybrid];

    pub fn needs_embeddings(self) -> bool {
        self != Self::Bm25
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bm25 => "bm25",
            Self::Dense => "dense",
            Self::Hybrid => "hybrid",
        })
    }
}

impl TryFrom<String> for Mode {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        name.parse()
    }
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|mode| mode.to_string() == name);
        found.ok_or_else(|| {
            Error::new(
                ErrorKind::Setting,
                format!("there is no retriever {name:?}"),
            )
            .hint("choose bm25, dense or hybrid")
        })
    }
}

/// What is looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrieveSettings {
    pub mode: Mode,
    /// How many chunks an answer may rest on.
    pub top_k: usize,
    /// Chunks that score less are left out.
    pub minimum_score: Option<f32>,
}

impl Default for RetrieveSettings {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            top_k: 4,
            minimum_score: None,
        }
    }
}

/// Ranks below this one weigh little: the constant of Cormack, Clarke and Büttcher, "Reciprocal Rank
/// Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009.
const FUSION: f32 = 60.0;

/// How far down either list a chunk may stand and still be fused.
const DEPTH: usize = 100;

/// The best chunks for a question, best first, without those in `hidden`.
pub(crate) fn retrieve(
    index: &Index,
    question: &str,
    settings: RetrieveSettings,
    hidden: &Range<usize>,
) -> Result<Vec<Hit>> {
    let count = settings.top_k;
    let mut hits = match settings.mode {
        Mode::Bm25 => best(&index.word_scores(question), count, hidden),
        Mode::Dense => best(&meanings(index, question)?, count, hidden),
        Mode::Hybrid => {
            let depth = count.max(DEPTH);
            let by_words = best(&index.word_scores(question), depth, hidden);
            let by_meaning = best(&meanings(index, question)?, depth, hidden);
            fuse(&[by_words, by_meaning], count)
        }
    };
    if let Some(least) = settings.minimum_score {
        hits.retain(|hit| hit.score >= least);
    }
    Ok(hits)
}

fn meanings(index: &Index, question: &str) -> Result<Vec<f32>> {
    index.meaning_scores(question).unwrap_or_else(|| {
        Err(
            Error::new(ErrorKind::Setting, "this retriever needs embeddings")
                .hint("name an embedder, or choose bm25"),
        )
    })
}

/// Reciprocal rank fusion: a chunk's score is the sum of 1 / (60 + rank) over the lists it is in.
fn fuse(lists: &[Vec<Hit>], count: usize) -> Vec<Hit> {
    let mut sums = BTreeMap::new();
    for list in lists {
        for (place, hit) in list.iter().enumerate() {
            *sums.entry(hit.chunk).or_insert(0.0) += 1.0 / (FUSION + place as f32 + 1.0);
        }
    }
    let mut fused: Vec<Hit> = sums
        .into_iter()
        .map(|(chunk, score)| Hit { chunk, score })
        .collect();
    fused.sort_by(|left, right| right.score.total_cmp(&left.score));
    fused.truncate(count);
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fusion_adds_reciprocal_ranks() {
        let list = |chunks: &[usize]| {
            chunks
                .iter()
                .map(|&chunk| Hit { chunk, score: 9.0 })
                .collect()
        };
        let fused = fuse(&[list(&[5, 1, 2]), list(&[2, 5, 7])], 3);
        let chunks: Vec<usize> = fused.iter().map(|hit| hit.chunk).collect();
        assert_eq!(chunks, [5, 2, 1]);
        assert!((fused[0].score - (1.0 / 61.0 + 1.0 / 62.0)).abs() < 1e-7);
    }

    #[test]
    fn modes_are_known_by_their_names() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse::<Mode>().unwrap(), mode);
        }
        assert!(
            "best"
                .parse::<Mode>()
                .unwrap_err()
                .to_string()
                .contains("choose bm25, dense or hybrid")
        );
    }
}
