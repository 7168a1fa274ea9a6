//! Lower bounds on epsilon: how much privacy the audited model has at most.
//!
//! If a mechanism were (ε, δ)-differentially private, no attack could do better than a known
//! curve; an attack that does better proves a larger ε. Every bound here says at which confidence,
//! under which assumption, and how many cuts of the score it paid for. A bound of zero means
//! "nothing was proven", not "private".

pub mod candidates;
pub mod clopper_pearson;
pub mod coins;
pub mod gaussian;
pub mod one_run;
pub mod one_run_fdp;
mod root;
pub mod split;
mod tiers;

use serde::{Deserialize, Serialize};

/// How it was decided which records the audited model trained on.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Inclusion {
    /// A fixed number of members, or nobody knows: the usual case.
    #[default]
    FixedSplit,
    /// Each record by its own fair coin, as the one-run theorems ask.
    IndependentCoins,
}

/// What the mechanism whose ε is bounded is taken to be.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Mechanism {
    /// Any (ε, δ)-private one: nothing is assumed.
    #[default]
    Any,
    /// Gaussian-DP, as noise of DP-SGD is: its whole curve is held against the guesses.
    Gaussian,
}

impl Mechanism {
    pub fn is_any(&self) -> bool {
        *self == Mechanism::Any
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct EpsilonBound {
    pub value: f64,
    pub delta: f64,
    pub confidence: f64,
    pub method: String,
    /// How many cuts of the score the confidence was shared among.
    pub cuts: usize,
    /// The counts that gave the bound, where it is above zero.
    pub tp: Option<u64>,
    pub fp: Option<u64>,
    /// The Gaussian-DP parameter behind the value, where the method has one.
    pub mu: Option<f64>,
    pub n_members: u64,
    pub n_nonmembers: u64,
    pub note: String,
}

/// What was asked of a bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    pub confidence: f64,
    pub delta: f64,
}

impl Claim {
    /// The error allowed to each of `cuts` cuts (Bonferroni).
    pub fn error_each(&self, cuts: usize) -> f64 {
        (1.0 - self.confidence) / cuts.max(1) as f64
    }
}
