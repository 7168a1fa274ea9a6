//! Everything the report says about one attack, from one sort of its scores.

use std::collections::BTreeMap;

use attacks::scores::Scores;
use base::Cancel;
use serde::{Deserialize, Serialize};
use stats::roc::Roc;
use stats::streams::Seed;

use crate::abstained::placed;
use crate::curve::{Curve, curve};
use crate::epsilon::coins::CoinGuesses;
use crate::epsilon::{
    Claim, EpsilonBound, Inclusion, Mechanism, clopper_pearson, gaussian, one_run, one_run_fdp,
    split,
};
use crate::gate::{CONFIDENCES, is_confidence};
use crate::histogram::{Histogram, histogram};
use crate::measure::{
    Advantage, Auc, AucScale, BalancedAccuracy, Bootstrap, Calibrated, FalsePositiveRule, Level,
    LogMia, Precision, TprAtFpr, accuracy, auc, bootstrap, calibration, log_mia, tpr,
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
    /// What the mechanism is taken to be by bounds that rest on coins.
    #[serde(default, skip_serializing_if = "Mechanism::is_any")]
    pub mechanism: Mechanism,
    /// Whether thresholds are set on half of the non-members and tried on the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calibrate: bool,
    /// Zero leaves the bootstrap out.
    pub bootstrap_replicates: usize,
    pub seed: u64,
    /// How many times larger the variance of a measure of records is because records come in persons.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub design_effect: f64,
}

fn one() -> f64 {
    1.0
}

fn is_one(factor: &f64) -> bool {
    *factor == 1.0
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
            mechanism: Mechanism::default(),
            calibrate: false,
            bootstrap_replicates: 1000,
            seed: 0,
            design_effect: 1.0,
        }
    }
}

impl Options {
    fn check(&self) -> Result<(), Error> {
        if !is_confidence(self.confidence) {
            let message = format!("confidence is {}", self.confidence);
            return Err(Error::input(message, CONFIDENCES));
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

    pub(crate) fn claim(&self) -> Claim {
        Claim {
            confidence: self.confidence,
            delta: self.delta,
        }
    }
}

/// How many times the variance of independent scores those have that models made of each other's records.
/// Where there is nothing to learn, what a model took from fold A for a signal and finds again in fold B by
/// chance, the model that learnt from B finds again in A: every chance agreement of two folds counts twice,
/// and the square of two is twice the sum of two squares.
const CROSS_FITTED: f64 = 2.0;

pub(crate) fn times_the_variance(scores: &Scores) -> f64 {
    match scores.is_cross_fitted() {
        true => CROSS_FITTED,
        false => 1.0,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AttackMeasures {
    pub id: String,
    /// Of all records that were the attack's to judge; those that it abstained on are tied where its
    /// scores carry no evidence.
    pub n_members: u64,
    pub n_nonmembers: u64,
    /// How many times the variance of independent scores these have, having been fitted on each other.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub times_the_variance: f64,
    pub abstained: usize,
    /// By reason, in the attack's words.
    pub abstained_by_reason: BTreeMap<String, usize>,
    /// The same among the records that the attack judged, where it abstained on any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged: Option<JudgedMeasures>,
    /// Among the records that the attack judged.
    pub distinct_scores: usize,
    /// The most records that share one score, among those that the attack judged.
    pub largest_tie: u64,
    pub auc: Auc,
    pub tpr_at_fpr: Vec<TprAtFpr>,
    /// Thresholds set on some non-members and tried on others, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calibrated: Vec<Calibrated>,
    pub log_mia: LogMia,
    /// What the scores tell turned round, where that is anything beyond chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned: Option<Turned>,
    pub balanced_accuracy: BalancedAccuracy,
    pub advantage: Advantage,
    pub precision_at_fpr: Vec<Precision>,
    pub epsilon_lower_bound: EpsilonBound,
    /// Other bounds, each with its own assumption.
    pub epsilon_bounds: Vec<EpsilonBound>,
    /// True and false positives at the cuts that the lower bound paid for, from which it follows at
    /// any δ and confidence; reports of earlier versions have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub epsilon_cuts: Vec<(u64, u64)>,
    /// Guesses about records that had coins of their own, which the lower bound then rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coins: Option<CoinGuesses>,
    /// The same about canaries that were trained on more often than those, tier by tier.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeated: Vec<CoinGuesses>,
    pub bootstrap: Option<Bootstrap>,
    pub roc: Curve,
    /// Absent where no score is finite, and in reports of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

/// The same scores turned round, which are an attack like any other: members may stand out at their low end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Turned {
    /// `threshold` is the largest score that is called a member's.
    pub log_mia: LogMia,
    pub balanced_accuracy: BalancedAccuracy,
}

impl Turned {
    fn new(roc: &Roc, options: &Options) -> Option<Self> {
        let found = Self {
            log_mia: log_mia::turned(roc, options.false_positive_rule),
            balanced_accuracy: accuracy::turned(roc, options.confidence),
        };
        Some(found).filter(Self::tells)
    }

    /// Anything beyond chance.
    pub(crate) fn tells(&self) -> bool {
        let regimes = [&self.log_mia.a, &self.log_mia.b];
        let severe = regimes.iter().any(|regime| regime.level == Level::Severe);
        severe || self.balanced_accuracy.low > 0.5
    }
}

/// An attack among the records that it judged: not what is gated, for attacks that abstain on other
/// records are not measured on the same ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct JudgedMeasures {
    pub n_members: u64,
    pub n_nonmembers: u64,
    pub auc: Auc,
    pub tpr_at_fpr: Vec<TprAtFpr>,
}

impl AttackMeasures {
    /// Members and non-members that the attack judged.
    pub fn judged_counts(&self) -> (u64, u64) {
        match &self.judged {
            Some(judged) => (judged.n_members, judged.n_nonmembers),
            None => (self.n_members, self.n_nonmembers),
        }
    }

    /// So many independent records show as much as those that the attack judged.
    pub fn independent_counts(&self) -> (u64, u64) {
        let (members, nonmembers) = self.judged_counts();
        let independent = |count: u64| (count as f64 / self.times_the_variance) as u64;
        (independent(members), independent(nonmembers))
    }
}

/// Judges one attack. Fails when the scores and the truth disagree on the number of records, or
/// when the attack abstained on every record of a class. Records of unknown membership are left out.
pub fn measure(
    id: &str,
    scores: &Scores,
    truth: &Truth,
    options: &Options,
) -> Result<AttackMeasures, Error> {
    measure_until(&Cancel::new(), id, scores, truth, options)
}

/// The same, until somebody asks to stop: resampling may take long.
pub fn measure_until(
    cancel: &Cancel,
    id: &str,
    scores: &Scores,
    truth: &Truth,
    options: &Options,
) -> Result<AttackMeasures, Error> {
    options.check()?;
    let shared = times_the_variance(scores);
    let (scores, truth) = truth.known_part(scores);
    let (scores, truth) = (scores.as_ref(), truth.as_ref());
    let roc = ranked(scores, truth)?;
    let among = match scores.left_out() {
        0 => None,
        _ => Some(ranked_judged(scores, truth)?),
    };
    let own = among.as_ref().unwrap_or(&roc);
    let seed = Seed(options.seed);
    let (confidence, claim) = (options.confidence, options.claim());
    let fprs = &options.fprs;
    let replicates = options.bootstrap_replicates;
    let resampled = bootstrap::bootstrap_until(cancel, &roc, fprs, replicates, confidence, seed)?;
    let resampled = resampled.map(|resampled| resampled.shared(&roc, fprs, shared));
    let balanced_accuracy = accuracy::balanced_accuracy(&roc, confidence);
    Ok(AttackMeasures {
        id: id.to_owned(),
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        times_the_variance: shared,
        abstained: scores.abstained(),
        abstained_by_reason: reasons(scores),
        judged: among.as_ref().map(|roc| judged(roc, options, shared)),
        distinct_scores: own.points().len() - 1,
        largest_tie: groups(own)
            .map(|g| g.members + g.nonmembers)
            .max()
            .unwrap_or(0),
        auc: auc::auc(&roc, confidence, options.auc_scale).inflated(shared),
        tpr_at_fpr: tprs(&roc, options, resampled.as_ref(), shared),
        calibrated: match options.calibrate {
            true => calibration::calibrate(&placed(scores), truth, fprs, confidence, seed),
            false => Vec::new(),
        },
        log_mia: log_mia::log_mia(&roc, options.false_positive_rule),
        turned: Turned::new(&roc, options),
        advantage: Advantage::from(&balanced_accuracy),
        balanced_accuracy,
        precision_at_fpr: fprs
            .iter()
            .map(|&fpr| accuracy::precision_at_fpr(&roc, fpr, &options.priors, confidence))
            .collect(),
        epsilon_lower_bound: clopper_pearson::bonferroni(&roc, &claim),
        epsilon_bounds: other_bounds(&roc, &claim, options.inclusion, seed),
        epsilon_cuts: clopper_pearson::cuts(&roc),
        coins: None,
        repeated: Vec::new(),
        bootstrap: resampled,
        roc: curve(&roc, confidence),
        histogram: histogram(own),
    })
}

/// Corrects what several attacks on the same records are called for their number.
pub fn correct_levels(attacks: &mut [AttackMeasures]) {
    log_mia::correct(attacks.iter_mut().map(|attack| Some(&mut attack.log_mia)));
    let turned = attacks.iter_mut().map(|attack| attack.turned.as_mut());
    log_mia::correct(turned.map(|turned| turned.map(|turned| &mut turned.log_mia)));
    for attack in attacks {
        attack.turned.take_if(|turned| !turned.tells());
    }
}

fn judged(roc: &Roc, options: &Options, shared: f64) -> JudgedMeasures {
    JudgedMeasures {
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        auc: auc::auc(roc, options.confidence, options.auc_scale).inflated(shared),
        tpr_at_fpr: tprs(roc, options, None, shared),
    }
}

/// The one sort: all records with their truth, abstentions tied where there is no evidence. Refused
/// where no member or no non-member was judged.
pub(crate) fn ranked(scores: &Scores, truth: &Truth) -> Result<Roc, Error> {
    check_lengths(scores, truth)?;
    let judged = |kind: bool| {
        let both = scores.iter().zip(truth.iter());
        both.filter(|(score, member)| score.is_some() && *member == Some(kind))
            .count()
    };
    check_counts(judged(true), judged(false), "judged record")?;
    curve_of(&placed(&truth.masked(scores)), truth)
}

/// The same of the judged records alone.
fn ranked_judged(scores: &Scores, truth: &Truth) -> Result<Roc, Error> {
    check_lengths(scores, truth)?;
    curve_of(scores, truth)
}

fn check_lengths(scores: &Scores, truth: &Truth) -> Result<(), Error> {
    if scores.len() == truth.len() {
        return Ok(());
    }
    let message = format!(
        "{} scores but {} records in the truth",
        scores.len(),
        truth.len()
    );
    Err(Error::input(
        message,
        "both must list the same records in the same order",
    ))
}

fn curve_of(scores: &Scores, truth: &Truth) -> Result<Roc, Error> {
    let both = scores.iter().zip(truth.iter());
    let known = both.filter_map(|(score, member)| Some((score?, member?)));
    Roc::new(known).ok_or_else(|| {
        Error::input(
            "the judged records have no ROC curve",
            "give members and non-members both",
        )
    })
}

/// Row, score and truth of every record that the measures are of.
pub(crate) fn judged_records<'a>(
    scores: &'a Scores,
    truth: &'a Truth,
) -> impl Iterator<Item = (usize, f64, bool)> + 'a {
    let records = scores.iter().zip(truth.iter()).enumerate();
    records.filter_map(|(row, (score, member))| Some((row, score?, member?)))
}

fn reasons(scores: &Scores) -> BTreeMap<String, usize> {
    (scores.abstentions().iter())
        .map(|(reason, &count)| (reason.as_str().to_owned(), count))
        .collect()
}

/// `shared`: how many times the variance of independent scores these have.
fn tprs(roc: &Roc, options: &Options, resampled: Option<&Bootstrap>, shared: f64) -> Vec<TprAtFpr> {
    let mut found: Vec<TprAtFpr> = (options.fprs.iter())
        .map(|&fpr| tpr::tpr_at_fpr(roc, fpr, options.confidence))
        .collect();
    if let Some(resampled) = resampled {
        for (measure, interval) in found.iter_mut().zip(&resampled.tpr_at_fpr) {
            measure.bootstrap = measure.value.is_some().then_some(*interval);
        }
    }
    if shared > 1.0 {
        found.iter_mut().for_each(|rate| rate.share(shared));
    }
    found
}

pub(crate) fn other_bounds(
    roc: &Roc,
    claim: &Claim,
    inclusion: Inclusion,
    seed: Seed,
) -> Vec<EpsilonBound> {
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
