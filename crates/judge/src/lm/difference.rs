//! Do members and non-members differ in one number, such as their length or their date?

use serde::{Deserialize, Serialize};
use stats::roc::Roc;

use crate::measure::{AucScale, auc};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Difference {
    /// The chance that a member has the larger number.
    pub auc: f64,
    pub low: f64,
    pub high: f64,
    pub median_members: f64,
    pub median_nonmembers: f64,
    pub texts: usize,
}

impl Difference {
    /// Nothing where one kind is missing.
    pub fn new(values: Vec<(f64, bool)>, confidence: f64) -> Option<Self> {
        let texts = values.len();
        let median = |kind: bool| {
            let chosen = values.iter().filter(|(_, member)| *member == kind);
            median(chosen.map(|(value, _)| *value).collect())
        };
        let (median_members, median_nonmembers) = (median(true)?, median(false)?);
        let roc = Roc::new(values.into_iter())?;
        let auc = auc::auc(&roc, confidence, AucScale::Logit);
        Some(Self {
            auc: auc.value,
            low: auc.low,
            high: auc.high,
            median_members,
            median_nonmembers,
            texts,
        })
    }

    /// How far from one half the interval begins; zero where it holds one half.
    pub fn at_least(&self) -> f64 {
        (self.low - 0.5).max(0.5 - self.high).max(0.0)
    }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
