//! TPR at a fixed FPR: the share of members caught while at most ⌊FPR · n₋⌋ non-members are.
//!
//! Step rule (Carlini et al., "Membership Inference Attacks From First Principles", 2022, with
//! `≤`): the last ROC point within the budget, ties moving together, never interpolated. The
//! threshold depends on the non-members only, so the caught members are binomial given it and the
//! two-sided Clopper–Pearson interval at that threshold holds. Below one non-member in the budget
//! the rate cannot be told from zero and the measure is refused.

use serde::{Deserialize, Serialize};
use stats::beta::{
    clopper_pearson_lower, clopper_pearson_lower_of, clopper_pearson_upper,
    clopper_pearson_upper_of,
};
use stats::roc::Roc;

use crate::Threshold;
use crate::measure::bootstrap::BootstrapInterval;
use crate::ranking::false_positive_budget;

/// The rates a report shows unless told otherwise.
pub const DEFAULT_FPRS: [f64; 3] = [0.1, 0.01, 0.001];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TprAtFpr {
    pub fpr: f64,
    /// Absent when the measure was refused; `reason` then says why.
    pub value: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub method: String,
    pub confidence: f64,
    pub tp: u64,
    pub fp: u64,
    pub threshold: Threshold,
    pub n_members: u64,
    pub n_nonmembers: u64,
    /// So many independent members vary as much, where the interval counts people, or scores vary together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_members: Option<f64>,
    /// The stratified bootstrap's interval, where it was asked for.
    pub bootstrap: Option<BootstrapInterval>,
    pub reason: Option<String>,
}

pub fn tpr_at_fpr(roc: &Roc, fpr: f64, confidence: f64) -> TprAtFpr {
    let reason = refusal(fpr, roc.nonmembers());
    let point = roc.point_at_false_positives(false_positive_budget(fpr, roc.nonmembers()));
    let (tp, members) = (point.true_positives, roc.members());
    let side = (1.0 - confidence) / 2.0;
    let unless_refused = |value: f64| reason.is_none().then_some(value);
    TprAtFpr {
        fpr,
        value: unless_refused(tp as f64 / members as f64),
        low: unless_refused(clopper_pearson_lower(tp, members, side)),
        high: unless_refused(clopper_pearson_upper(tp, members, side)),
        method: "step-le, clopper-pearson".to_owned(),
        confidence,
        tp,
        fp: point.false_positives,
        threshold: point.threshold.into(),
        n_members: members,
        n_nonmembers: roc.nonmembers(),
        effective_members: None,
        bootstrap: None,
        reason,
    }
}

impl TprAtFpr {
    /// The same where scores vary together, so that so many of them say as much as one.
    pub(crate) fn share(&mut self, shared: f64) {
        let Some(value) = self.value else {
            return;
        };
        let trials = self.n_members as f64 / shared;
        let side = (1.0 - self.confidence) / 2.0;
        self.low = Some(clopper_pearson_lower_of(value * trials, trials, side));
        self.high = Some(clopper_pearson_upper_of(value * trials, trials, side));
        self.method = "step-le, clopper-pearson over as many members as are independent".to_owned();
        self.effective_members = Some(trials);
    }
}

/// Why this rate cannot be measured on so few non-members.
fn refusal(fpr: f64, nonmembers: u64) -> Option<String> {
    if !(0.0..=1.0).contains(&fpr) {
        return Some(format!(
            "{fpr} is not a false-positive rate between 0 and 1"
        ));
    }
    (false_positive_budget(fpr, nonmembers) < 1).then(|| {
        let needed = if fpr > 0.0 {
            format!("{} are needed", (1.0 / fpr - 1e-9).ceil())
        } else {
            "no number is enough".to_owned()
        };
        format!("{nonmembers} non-members cannot show a false-positive rate of {fpr}: {needed}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alternating(records: u32) -> Roc {
        Roc::new((0..records).map(|i| (f64::from(i), i % 2 == 0))).unwrap()
    }

    #[test]
    fn refused_below_one_nonmember() {
        let refused = tpr_at_fpr(&alternating(200), 0.001, 0.95);
        assert_eq!(
            (refused.value, refused.low, refused.high),
            (None, None, None)
        );
        assert_eq!(
            refused.reason.as_deref(),
            Some("100 non-members cannot show a false-positive rate of 0.001: 1000 are needed")
        );
        let allowed = tpr_at_fpr(&alternating(200), 0.01, 0.95);
        assert_eq!((allowed.value, allowed.fp), (Some(0.01), 1));
    }

    #[test]
    fn nonsense_rates_are_refused_not_measured() {
        for rate in [f64::NAN, -0.1, 1.5, 0.0] {
            assert!(tpr_at_fpr(&alternating(200), rate, 0.95).reason.is_some());
        }
    }

    #[test]
    fn ties_move_together() {
        let scores = [
            (1.0, true),
            (1.0, false),
            (1.0, false),
            (0.0, false),
            (0.0, true),
        ];
        let found = tpr_at_fpr(&Roc::new(scores.into_iter()).unwrap(), 0.4, 0.95);
        assert_eq!((found.tp, found.fp, found.value), (0, 0, Some(0.0)));
        assert_eq!(found.threshold, Threshold(None));
        assert_eq!(found.low, Some(0.0));
    }
}
