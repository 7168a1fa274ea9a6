//! What an audit shows beside its measures: whether the shadows' φ is as normal as the Gaussian
//! attacks take it to be, which records are exposed again and again, and which slices of the
//! records leak otherwise than the rest. Of these only a slice that violates the gate decides the
//! verdict.

mod largest;
pub mod normality;
pub mod qq;
pub mod slice_gate;
pub mod slice_names;
mod slice_records;
mod slice_test;
pub mod slices;
pub mod vulnerability;

use serde::{Deserialize, Serialize};

pub use normality::{Classes, Normality, ShapeTally};
pub use qq::{Qq, Residuals};
pub use slices::{SliceColumn, Slices};
pub use vulnerability::{Exposures, Vulnerability};

/// The rate at which a record is caught, or falsely flagged: the step rule at FPR ≤ 1%. With fewer
/// than a hundred non-members that is no false positive at all.
pub const CATCHING_FPR: f64 = 0.01;

/// What was looked at; nothing where it was not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default)]
pub struct Diagnostics {
    pub normality: Option<Normality>,
    pub qq: Option<Classes<Qq>>,
    pub slices: Option<Slices>,
    pub vulnerability: Option<Vulnerability>,
}

impl Diagnostics {
    pub fn is_empty(&self) -> bool {
        *self == Diagnostics::default()
    }
}
