//! A threshold that could be used: set on one half of the non-members, for a wanted
//! false-positive rate, and applied unchanged to the other half and to the members.
//!
//! Of n non-members, ⌊rate · (n + 1)⌋ − 1 may lie above the threshold: a further one then does so
//! with no more than the wanted rate (split conformal prediction, Vovk et al. 2005). Allowing
//! ⌊rate · n⌋ would double a rate of 0.1% on a thousand.

use attacks::scores::Scores;
use serde::{Deserialize, Serialize};
use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};
use stats::streams::{Seed, shuffle};

use crate::ranking::false_positive_budget;
use crate::{Threshold, Truth};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Calibrated {
    /// The wanted rate.
    pub fpr: f64,
    /// A text is called a member at or above it.
    pub threshold: Threshold,
    /// Non-members that the threshold was set on.
    pub calibration_nonmembers: usize,
    /// On the other non-members, which the threshold never saw.
    pub achieved_fpr: Rate,
    pub tpr: Rate,
}

/// A share with its Clopper–Pearson interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Rate {
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub count: u64,
    pub n: u64,
}

impl Rate {
    fn new(count: u64, n: u64, confidence: f64) -> Self {
        let side = (1.0 - confidence) / 2.0;
        Self {
            value: count as f64 / n as f64,
            low: clopper_pearson_lower(count, n, side),
            high: clopper_pearson_upper(count, n, side),
            count,
            n,
        }
    }
}

/// One entry per rate that half of the non-members can show.
pub fn calibrate(
    scores: &Scores,
    truth: &Truth,
    fprs: &[f64],
    confidence: f64,
    seed: Seed,
) -> Vec<Calibrated> {
    let of = |kind: bool| -> Vec<f64> {
        let judged = scores.iter().zip(truth.iter());
        judged
            .filter(|(_, member)| *member == Some(kind))
            .filter_map(|(score, _)| score)
            .collect()
    };
    let (members, mut nonmembers) = (of(true), of(false));
    shuffle(&mut seed.stream("calibration"), &mut nonmembers);
    let (calibration, held_out) = nonmembers.split_at(nonmembers.len() / 2);
    if calibration.is_empty() || held_out.is_empty() || members.is_empty() {
        return Vec::new();
    }
    let mut highest_first = calibration.to_vec();
    highest_first.sort_unstable_by(|a, b| b.total_cmp(a));
    let enough = |fpr: &&f64| false_positive_budget(**fpr, calibration.len() as u64 + 1) >= 1;
    let wanted = fprs.iter().filter(enough);
    wanted
        .map(|&fpr| {
            let threshold = cut(&highest_first, fpr);
            let called = |scores: &[f64]| {
                let above = |score: &&f64| threshold.is_some_and(|threshold| **score >= threshold);
                let called = scores.iter().filter(above).count();
                Rate::new(called as u64, scores.len() as u64, confidence)
            };
            Calibrated {
                fpr,
                threshold: Threshold(threshold),
                calibration_nonmembers: calibration.len(),
                achieved_fpr: called(held_out),
                tpr: called(&members),
            }
        })
        .collect()
}

/// The lowest cut that accuses no more non-members than allowed: just above the highest one that
/// may not be accused. Nothing is above an infinite one.
fn cut(highest_first: &[f64], fpr: f64) -> Option<f64> {
    let places = false_positive_budget(fpr, highest_first.len() as u64 + 1) as usize;
    match highest_first.get(places.saturating_sub(1)) {
        Some(&f64::INFINITY) => None,
        Some(first_spared) => Some(first_spared.next_up()),
        None => Some(f64::NEG_INFINITY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(n: usize, shift: f64) -> (Scores, Truth) {
        let value = |i: usize| ((i * 7919) % 10_007) as f64 / 10_007.0;
        let scores: Scores = (0..2 * n)
            .map(|i| Ok(value(i) + if i < n { shift } else { 0.0 }))
            .collect();
        let truth = Truth::new((0..2 * n).map(|i| i < n)).unwrap();
        (scores, truth)
    }

    #[test]
    fn the_threshold_never_saw_the_texts_it_is_judged_on() {
        let (scores, truth) = data(2000, 0.2);
        let found = calibrate(&scores, &truth, &[0.1, 0.01, 0.0001], 0.95, Seed(1));
        assert_eq!(found.len(), 2, "a rate of 0.0001 needs more non-members");
        for calibrated in &found {
            let achieved = &calibrated.achieved_fpr;
            assert_eq!(calibrated.calibration_nonmembers, 1000);
            assert_eq!((achieved.n, calibrated.tpr.n), (1000, 2000));
            assert!(achieved.low <= calibrated.fpr && calibrated.fpr <= achieved.high);
            assert!(calibrated.tpr.value > 2.0 * calibrated.fpr);
        }
    }

    /// Over many draws without a leak, the achieved rate is the wanted one or less.
    #[test]
    fn the_wanted_rate_is_kept_on_average() {
        let mut achieved = [0.0; 2];
        for round in 0..300 {
            let mut rng = Seed(round).stream("scores");
            let scores: Scores = (0..400)
                .map(|_| Ok(stats::streams::uniform(&mut rng)))
                .collect();
            let truth = Truth::new((0..400).map(|i| i < 100)).unwrap();
            let found = calibrate(&scores, &truth, &[0.1, 0.02], 0.95, Seed(round));
            for (sum, found) in achieved.iter_mut().zip(found) {
                *sum += found.achieved_fpr.value / 300.0;
            }
        }
        assert!(achieved[0] < 0.106 && achieved[0] > 0.09, "{achieved:?}");
        assert!(achieved[1] < 0.022 && achieved[1] > 0.016, "{achieved:?}");
    }

    /// Against the sorted list, counted by hand.
    #[test]
    fn the_cut_spares_all_but_the_allowed() {
        let highest_first = [5.0, 4.0, 4.0, 3.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.0];
        for (fpr, accused) in [
            (0.1, 0),
            (0.2, 1),
            (0.3, 1),
            (0.37, 3),
            (0.46, 4),
            (1.0, 10),
        ] {
            let cut = cut(&highest_first, fpr).unwrap();
            let count = highest_first.iter().filter(|score| **score >= cut).count();
            assert_eq!(count, accused, "{fpr}");
        }
    }

    #[test]
    fn infinite_scores_have_a_threshold_too() {
        let scores: Scores = (0..40)
            .map(|i| Ok(if i % 4 == 0 { f64::INFINITY } else { i as f64 }))
            .collect();
        let truth = Truth::new((0..40).map(|i| i < 20)).unwrap();
        for calibrated in calibrate(&scores, &truth, &[0.1, 0.5], 0.95, Seed(0)) {
            assert!((0.0..=1.0).contains(&calibrated.tpr.value));
        }
        assert_eq!(cut(&[f64::INFINITY, f64::INFINITY, 1.0], 0.6), None);
    }
}
