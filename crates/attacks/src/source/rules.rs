//! What turns regressions into labels.

use serde::{Deserialize, Serialize};

/// Fewer rows answered in both arms say nothing.
pub const MIN_ROWS: usize = 8;

/// How a document is attributed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rules {
    /// λ of the ridge regression.
    pub penalty: f64,
    /// The chance of calling a word, or a document, that has no such source.
    pub level: f64,
    /// Permutations for the document's totals, or more where the level asks for it.
    pub permutations: usize,
    pub thresholds: Thresholds,
    /// Centred masks and a free intercept.
    pub intercept: bool,
}

/// What β and ADS are held against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Thresholds {
    /// Taken from permutations of each document's own responses, at the level.
    Calibrated,
    /// β without retrieval at or above `tau` is pretrained, |ADS| at or below `band` non-member.
    Fixed { tau: f64, band: f64 },
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            penalty: 1.0,
            level: 0.05,
            permutations: 1_999,
            thresholds: Thresholds::Calibrated,
            intercept: true,
        }
    }
}

impl Rules {
    /// As published: no intercept, and 0.1 around ADS. The published pair (0.1 ≤ ADS < −0.1) names
    /// an empty set; this is the reading that makes sense. The paper never gives its threshold on
    /// β: 0.1 here is ours, by the size of the other.
    pub fn paper() -> Self {
        Self {
            thresholds: Thresholds::Fixed {
                tau: 0.1,
                band: 0.1,
            },
            intercept: false,
            ..Self::default()
        }
    }

    /// So many permutations that the smallest p-value lies well below the level. None stay none.
    pub(super) fn draws(&self) -> usize {
        match self.permutations {
            0 => 0,
            usual => usual.max((5.0 / self.level).ceil() as usize - 1),
        }
    }

    /// The same rules where a document is looked at so many times: each look has an equal share
    /// of the level.
    pub fn shared(self, looks: usize) -> Self {
        Self {
            level: self.level / looks.max(1) as f64,
            ..self
        }
    }
}
