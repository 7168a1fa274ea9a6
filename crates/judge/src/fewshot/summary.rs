//! What all runs of one attack with one number of shots come to.

use serde::{Deserialize, Serialize};

use crate::measure::Level;

/// A mean over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Spread {
    pub mean: f64,
    /// Between runs, with n − 1.
    pub deviation: f64,
    /// Of the 95 % interval over runs: 1.96 · deviation / √runs.
    pub half_width: f64,
    pub runs: usize,
}

/// One regime of Log-MIA over all runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RegimeSummary {
    pub value: Spread,
    pub alpha: f64,
    /// Regime B only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beta: Option<f64>,
    /// False positives the threshold was set to allow.
    pub fp_allowed: u64,
    /// False positives in the query set.
    pub false_positives: Spread,
    /// Of one run, by the formula, when scores say nothing and do not tie.
    pub expected_by_chance: f64,
    pub deviation_by_chance: f64,
    /// Of the mean against chance; both count that runs share records.
    pub z: f64,
    /// Two-sided.
    pub p_value: f64,
    /// The same procedure with shuffled membership; nothing without control runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<Spread>,
    /// Two-sided, of the mean against the control's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value_against_control: Option<f64>,
    /// The paper's word for the mean.
    pub nominal_level: Level,
    /// The larger of both p-values after Holm's correction for all attacks, shots and regimes; reports
    /// of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected_p_value: Option<f64>,
    /// The same when the mean lies above chance and above the control, each at 5 % after correction.
    pub level: Level,
}

/// How often the validation set chose a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Chosen {
    pub candidate: String,
    pub runs: usize,
}

/// One attack with one number of shots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Summary {
    pub attack: String,
    pub shots: usize,
    pub runs: usize,
    pub control_runs: usize,
    pub a: RegimeSummary,
    pub b: RegimeSummary,
    /// Of each query set.
    pub auc: Spread,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc_control: Option<Spread>,
    /// Of each query set, at the validation threshold of best balanced accuracy.
    pub accuracy: Spread,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy_control: Option<Spread>,
    /// In the attack's own order.
    pub chosen: Vec<Chosen>,
}
