//! Everything the report says about one attack, from one sort of its scores.

use std::collections::BTreeMap;

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::streams::Seed;

use crate::curve::{Curve, curve};
use crate::epsilon::{
    Claim, EpsilonBound, Inclusion, clopper_pearson, gaussian, one_run, one_run_fdp, split,
};
use crate::histogram::{Histogram, histogram};
use crate::measure::{
    Advantage, Auc, AucScale, BalancedAccuracy, Bootstrap, Calibrated, FalsePositiveRule, LogMia,
    Precision, TprAtFpr, accuracy, auc, bootstrap, calibration, log_mia, tpr,
};
use crate::ranking::groups;
use crate::truth::check_counts;
use crate::{Error, Truth};

/// How to measure. The defaults are what a report shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Options {
    pub confidence: f64,
    pub auc_scale: AucScale,
    pub fprs: Vec<f64>,
    /// Shares of members in the world, for the precision an accuser would have there.
    pub priors: Vec<f64>,
    pub delta: f64,
    pub false_positive_rule: FalsePositiveRule,
    pub inclusion: Inclusion,
    /// Whether thresholds are set on half of the non-members and tried on the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calibrate: bool,
    /// Zero leaves the bootstrap out.
    pub bootstrap_replicates: usize,
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            confidence: 0.95,
            auc_scale: AucScale::default(),
            fprs: tpr::DEFAULT_FPRS.to_vec(),
            priors: vec![0.01, 0.1],
            delta: 1e-5,
            false_positive_rule: FalsePositiveRule::default(),
            inclusion: Inclusion::default(),
            calibrate: false,
            bootstrap_replicates: 1000,
            seed: 0,
        }
    }
}

impl Options {
    fn check(&self) -> Result<(), Error> {
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            let message = format!("confidence is {}", self.confidence);
            return Err(Error::input(
                message,
                "give a level between 0 and 1, such as 0.95",
            ));
        }
        if !(0.0..1.0).contains(&self.delta) {
            let message = format!("delta is {}", self.delta);
            return Err(Error::input(
                message,
                "give a delta from 0 to below 1, such as 1e-5",
            ));
        }
        Ok(())
    }

    fn claim(&self) -> Claim {
        Claim {
            confidence: self.confidence,
            delta: self.delta,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AttackMeasures {
    pub id: String,
    /// Of the records the attack judged.
    pub n_members: u64,
    pub n_nonmembers: u64,
    pub abstained: usize,
    /// By reason, in the attack's words.
    pub abstained_by_reason: BTreeMap<String, usize>,
    pub distinct_scores: usize,
    /// The most records that share one score.
    pub largest_tie: u64,
    pub auc: Auc,
    pub tpr_at_fpr: Vec<TprAtFpr>,
    /// Thresholds set on some non-members and tried on others, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibrated: Vec<Calibrated>,
    pub log_mia: LogMia,
    pub balanced_accuracy: BalancedAccuracy,
    pub advantage: Advantage,
    pub precision_at_fpr: Vec<Precision>,
    pub epsilon_lower_bound: EpsilonBound,
    /// Other bounds, each with its own assumption.
    pub epsilon_bounds: Vec<EpsilonBound>,
    pub bootstrap: Option<Bootstrap>,
    pub roc: Curve,
    /// Absent where no score is finite, and in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

/// Judges one attack. Fails when the scores and the truth disagree on the number of records, or
/// when the attack abstained on every record of a class.
pub fn measure(
    id: &str,
    scores: &Scores,
    truth: &Truth,
    options: &Options,
) -> Result<AttackMeasures, Error> {
    options.check()?;
    let roc = ranked(scores, truth)?;
    let seed = Seed(options.seed);
    let (confidence, claim) = (options.confidence, options.claim());
    let fprs = &options.fprs;
    let resampled =
        bootstrap::bootstrap(&roc, fprs, options.bootstrap_replicates, confidence, seed);
    let balanced_accuracy = accuracy::balanced_accuracy(&roc, confidence);
    Ok(AttackMeasures {
        id: id.to_owned(),
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        abstained: scores.abstained(),
        abstained_by_reason: reasons(scores),
        distinct_scores: roc.points().len() - 1,
        largest_tie: groups(&roc)
            .map(|g| g.members + g.nonmembers)
            .max()
            .unwrap_or(0),
        auc: auc::auc(&roc, confidence, options.auc_scale),
        tpr_at_fpr: tprs(&roc, options, resampled.as_ref()),
        calibrated: match options.calibrate {
            true => calibration::calibrate(scores, truth, fprs, confidence, seed),
            false => Vec::new(),
        },
        log_mia: log_mia::log_mia(&roc, options.false_positive_rule),
        advantage: Advantage::from(&balanced_accuracy),
        balanced_accuracy,
        precision_at_fpr: fprs
            .iter()
            .map(|&fpr| accuracy::precision_at_fpr(&roc, fpr, &options.priors, confidence))
            .collect(),
        epsilon_lower_bound: clopper_pearson::bonferroni(&roc, &claim),
        epsilon_bounds: other_bounds(&roc, &claim, options.inclusion, seed),
        bootstrap: resampled,
        roc: curve(&roc, confidence),
        histogram: histogram(&roc),
    })
}

/// Corrects what several attacks on the same records are called for their number.
pub fn correct_levels(attacks: &mut [AttackMeasures]) {
    log_mia::correct(attacks.iter_mut().map(|attack| &mut attack.log_mia));
}

/// The one sort: the judged records with their truth.
pub(crate) fn ranked(scores: &Scores, truth: &Truth) -> Result<Roc, Error> {
    if scores.len() != truth.len() {
        let message = format!(
            "{} scores but {} records in the truth",
            scores.len(),
            truth.len()
        );
        return Err(Error::input(
            message,
            "both must list the same records in the same order",
        ));
    }
    let judged =
        || (scores.iter().zip(truth.iter())).filter_map(|(score, member)| Some((score?, member)));
    let members = judged().filter(|&(_, member)| member).count();
    check_counts(members, judged().count() - members, "judged record")?;
    Roc::new(judged()).ok_or_else(|| {
        Error::input(
            "the judged records have no ROC curve",
            "give members and non-members both",
        )
    })
}

fn reasons(scores: &Scores) -> BTreeMap<String, usize> {
    (scores.abstentions().iter())
        .map(|(reason, &count)| (reason.as_str().to_owned(), count))
        .collect()
}

fn tprs(roc: &Roc, options: &Options, resampled: Option<&Bootstrap>) -> Vec<TprAtFpr> {
    let mut found: Vec<TprAtFpr> = (options.fprs.iter())
        .map(|&fpr| tpr::tpr_at_fpr(roc, fpr, options.confidence))
        .collect();
    if let Some(resampled) = resampled {
        for (measure, interval) in found.iter_mut().zip(&resampled.tpr_at_fpr) {
            measure.bootstrap = measure.value.is_some().then_some(*interval);
        }
    }
    found
}

fn other_bounds(roc: &Roc, claim: &Claim, inclusion: Inclusion, seed: Seed) -> Vec<EpsilonBound> {
    [
        Some(split::split(roc, claim, seed)),
        Some(one_run::one_run(roc, claim, inclusion)),
        one_run_fdp::one_run_fdp(roc, claim, inclusion),
        gaussian::gaussian(roc, claim),
    ]
    .into_iter()
    .flatten()
    .collect()
}
