//! Episodes of a few-shot audit: the part of a report that is special to attackers who know the
//! membership of a handful of records.

use judge::fewshot::{Selection, Summary, Thresholds};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewShot {
    /// The features in a line.
    pub features: String,
    /// Whether the model's own weights were at hand.
    pub white_box: bool,
    pub design: FewShotDesign,
    /// Every attack with every number of shots.
    pub attacks: Vec<Summary>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewShotDesign {
    /// Records of each kind.
    pub validation: usize,
    pub query: usize,
    pub runs: usize,
    pub thresholds: Thresholds,
    pub selection: Selection,
}
