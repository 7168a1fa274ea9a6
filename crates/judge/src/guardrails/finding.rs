//! What a guardrail says: how bad it is, and which verdict it keeps from being given.

use serde::{Deserialize, Serialize};

/// How bad it is. A violated guardrail makes the outcome that it [`Blocks`] inconclusive.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Warn,
    Violated,
}

/// Which outcome a violated guardrail makes untrustworthy.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Blocks {
    /// What it caught can only hide a leak: a fail stands all the same.
    Pass,
    /// What it caught can only feign a leak: a pass stands all the same.
    Fail,
    /// What it caught can do either.
    #[default]
    Both,
}

impl Blocks {
    fn is_both(&self) -> bool {
        *self == Blocks::Both
    }

    pub fn pass(self) -> bool {
        self != Blocks::Fail
    }

    pub fn fail(self) -> bool {
        self != Blocks::Pass
    }

    /// For cards and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Blocks::Pass => "It can only hide a leak: violated, it blocks a pass and never a fail",
            Blocks::Fail => "It can only feign a leak: violated, it blocks a fail and never a pass",
            Blocks::Both => "It can hide a leak or feign one: violated, it blocks both verdicts",
        }
    }
}

impl std::fmt::Display for Blocks {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str(self.as_str())
    }
}

/// What a guardrail found, in words that say what to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    pub id: String,
    pub status: Status,
    /// Where nothing is written, both, as in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Blocks::is_both")]
    pub blocks: Blocks,
    pub detail: String,
    /// The criteria of the policy that it speaks of, from 0; where nothing is written, all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<usize>,
    /// The smallest value of the gated measure that the records could show, from the one guardrail that
    /// asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detectable: Option<f64>,
}

impl Finding {
    /// Whether it speaks of this criterion.
    pub fn concerns(&self, criterion: usize) -> bool {
        self.criteria.is_empty() || self.criteria.contains(&criterion)
    }
}
