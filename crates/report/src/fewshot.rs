//! Episodes of a few-shot audit: the part of a report that is special to attackers who know the
//! membership of a handful of records.

use judge::fewshot::{Selection, Summary, Thresholds};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fewshot {
    /// How many models the file of features has, and which of them was audited.
    pub models: usize,
    pub target: usize,
    /// The features in a line.
    pub features: String,
    /// Whether the model's own weights were at hand.
    pub white_box: bool,
    pub design: Design,
    /// Every attack with every number of shots.
    pub attacks: Vec<Summary>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Design {
    /// Records of each kind.
    pub validation: usize,
    pub query: usize,
    pub runs: usize,
    pub thresholds: Thresholds,
    pub selection: Selection,
}
