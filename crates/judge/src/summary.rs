//! Brief measures of one attack on one target, and their mean over targets.

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};

use crate::measures::ranked;
use crate::{Error, Truth};

/// The measures that replicates and scaling curves follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Brief {
    pub auc: f64,
    /// One per asked false-positive rate; nothing where too few non-members were judged.
    pub tpr_at_fpr: Vec<Option<f64>>,
    pub abstained: usize,
}

/// AUC and TPR at FPR of one attack, without intervals.
pub fn brief(scores: &Scores, truth: &Truth, fprs: &[f64]) -> Result<Brief, Error> {
    let (scores, truth) = truth.known_part(scores);
    let roc = ranked(&scores, &truth)?;
    Ok(Brief {
        auc: roc.auc(),
        abstained: scores.abstained(),
        tpr_at_fpr: fprs
            .iter()
            .map(|&fpr| crate::measure::tpr::tpr_at_fpr(&roc, fpr, 0.95).value)
            .collect(),
    })
}

/// Mean and standard error over targets; the error is absent for a single one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MeanOver {
    pub mean: f64,
    pub standard_error: Option<f64>,
    pub n: usize,
}

impl MeanOver {
    /// Nothing when there are no values.
    pub fn new(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Some(MeanOver {
            mean,
            standard_error: (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt()),
            n: values.len(),
        })
    }
}

/// One attack over several targets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AttackSummary {
    pub id: String,
    /// Records abstained on, over all targets; they count as knowing nothing.
    pub abstained: usize,
    pub auc: MeanOver,
    pub tpr_at_fpr: Vec<TprSummary>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TprSummary {
    pub fpr: f64,
    /// Absent where no target had enough non-members.
    pub over: Option<MeanOver>,
}

/// Gathers one attack's brief measures; nothing when there are none.
pub fn summarise(id: &str, briefs: &[Brief], fprs: &[f64]) -> Option<AttackSummary> {
    let auc = MeanOver::new(briefs.iter().map(|brief| brief.auc))?;
    let tpr_at_fpr = fprs
        .iter()
        .enumerate()
        .map(|(place, &fpr)| TprSummary {
            fpr,
            over: MeanOver::new(briefs.iter().filter_map(|brief| brief.tpr_at_fpr[place])),
        })
        .collect();
    Some(AttackSummary {
        id: id.to_string(),
        abstained: briefs.iter().map(|brief| brief.abstained).sum(),
        auc,
        tpr_at_fpr,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_is_that_of_a_mean() {
        let over = MeanOver::new([1.0, 2.0, 3.0, 6.0]).unwrap();
        assert_eq!((over.mean, over.n), (3.0, 4));
        // Variance 14/3 with denominator n − 1.
        assert!((over.standard_error.unwrap() - (14f64 / 12.0).sqrt()).abs() < 1e-15);
        assert_eq!(MeanOver::new([2.0]).unwrap().standard_error, None);
        assert_eq!(MeanOver::new([]), None);
    }
}
