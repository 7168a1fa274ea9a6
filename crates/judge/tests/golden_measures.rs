//! The measures against numbers from independent code.

#![allow(clippy::unwrap_used)]

mod common;

use common::{close, count, golden, hull, number, numbers, roc, shifted_quantiles, small};
use guestlist_judge::Threshold;
use guestlist_judge::measure::accuracy::{
    balanced_accuracy, positive_predictive_value, precision_at_fpr,
};
use guestlist_judge::measure::auc::{auc, delong_variance};
use guestlist_judge::measure::tpr::tpr_at_fpr;
use guestlist_judge::measure::{Advantage, AucScale};
use stats::roc::Roc;

#[test]
fn roc_points() {
    let (case, roc) = small();
    let fp: Vec<f64> = roc
        .points()
        .iter()
        .map(|p| p.false_positives as f64)
        .collect();
    let tp: Vec<f64> = roc
        .points()
        .iter()
        .map(|p| p.true_positives as f64)
        .collect();
    assert_eq!(fp, numbers(&case["roc_fp"]));
    assert_eq!(tp, numbers(&case["roc_tp"]));
}

#[test]
fn area_and_delong() {
    let (case, roc) = small();
    let logit = auc(&roc, 0.95, AucScale::Logit);
    let plain = auc(&roc, 0.95, AucScale::Plain);
    close(logit.value, number(&case, "auc"), 1e-15);
    close(roc.auc_hull(), number(&case, "auc_hull"), 1e-15);
    let delong = &case["delong"];
    close(delong_variance(&roc).unwrap(), number(delong, "var"), 1e-12);
    close(plain.standard_error.unwrap(), number(delong, "se"), 1e-12);
    let expected = numbers(&delong["ci95_logit"]);
    close(logit.low, expected[0], 1e-9);
    close(logit.high, expected[1], 1e-9);
    let expected = numbers(&delong["ci95"]);
    close(plain.low, expected[0], 1e-9);
    assert!(expected[1] > 1.0 && plain.high == 1.0);
}

/// The other tools' conventions, to show which one ours is.
mod conventions {
    use super::*;

    /// Strictly fewer false positives than the rate allows (the LiRA code).
    pub fn step_lt(roc: &Roc, fpr: f64) -> Option<f64> {
        let below = |fp: u64| (fp as f64 / roc.nonmembers() as f64) < fpr;
        let caught = roc.points().iter().filter(|p| below(p.false_positives));
        let caught = caught.map(|p| p.true_positives).max();
        caught.map(|tp| tp as f64 / roc.members() as f64)
    }

    /// On the line between the last point within the rate and the first beyond it.
    pub fn on_the_line(corners: &[(u64, u64)], roc: &Roc, fpr: f64) -> f64 {
        let allowed = fpr * roc.nonmembers() as f64;
        let within = corners.iter().rposition(|c| c.0 as f64 <= allowed).unwrap();
        let (fp, tp) = corners[within];
        let (next_fp, next_tp) = corners[(within + 1).min(corners.len() - 1)];
        let share = if next_fp > fp {
            (allowed - fp as f64) / (next_fp - fp) as f64
        } else {
            0.0
        };
        (tp as f64 + share * (next_tp - tp) as f64) / roc.members() as f64
    }
}

#[test]
fn tpr_is_the_step_rule_and_not_another() {
    let (case, roc) = small();
    let all: Vec<(u64, u64)> = roc
        .points()
        .iter()
        .map(|p| (p.false_positives, p.true_positives))
        .collect();
    for (rate, expected) in case["tpr_at_fpr"].as_object().unwrap() {
        let fpr: f64 = rate.parse().unwrap();
        let found = tpr_at_fpr(&roc, fpr, 0.95);
        close(found.tp as f64 / 8.0, number(expected, "step_le"), 1e-15);
        assert_eq!(found.value.is_some(), fpr * 8.0 >= 1.0);
        assert_eq!(
            conventions::step_lt(&roc, fpr),
            expected["step_lt"].as_f64()
        );
        close(
            conventions::on_the_line(&all, &roc, fpr),
            number(expected, "interp"),
            1e-12,
        );
        close(
            conventions::on_the_line(&hull(&roc), &roc, fpr),
            number(expected, "hull"),
            1e-12,
        );
    }
}

#[test]
fn clopper_pearson_at_the_threshold() {
    for row in golden()["clopper_pearson_one_sided_0.025"]
        .as_array()
        .unwrap()
    {
        let (caught, members) = (count(row, "k"), count(row, "n"));
        let members: Vec<f64> = (0..members)
            .map(|i| if i < caught { 2.0 } else { 0.0 })
            .collect();
        let found = tpr_at_fpr(&roc(&members, &[1.0, 1.0]), 0.5, 0.95);
        close(found.low.unwrap(), number(row, "lo"), 1e-9);
        close(found.high.unwrap(), number(row, "up"), 1e-9);
    }
}

#[test]
fn accuracy_and_precision() {
    let (case, roc) = small();
    let accuracy = balanced_accuracy(&roc, 0.95);
    close(
        accuracy.value,
        number(&case, "best_balanced_accuracy"),
        1e-15,
    );
    assert_eq!(
        accuracy.threshold,
        Threshold(case["best_threshold"].as_f64())
    );
    close(
        Advantage::from(&accuracy).value,
        number(&case, "advantage"),
        1e-15,
    );
    for (rate, expected) in case["precision_at_fpr"].as_object().unwrap() {
        let found = precision_at_fpr(&roc, rate.parse().unwrap(), &[0.01, 0.1], 0.95);
        close(found.value.unwrap(), expected.as_f64().unwrap(), 1e-15);
    }
    let found = precision_at_fpr(&roc, 0.125, &[0.01, 0.1], 0.95);
    let priors = &case["ppv_prior"];
    close(
        found.at_prior[0].value.unwrap(),
        number(priors, "fpr=0.125,prior=0.01"),
        1e-12,
    );
    close(
        found.at_prior[1].value.unwrap(),
        number(priors, "fpr=0.125,prior=0.1"),
        1e-12,
    );
    // TensorFlow Privacy's ratio of ten non-members to a member is a prior of one in eleven.
    let value = positive_predictive_value(0.5, 0.125, 1.0 / 11.0).unwrap();
    close(value, 0.2857142857, 1e-9);
}

#[test]
fn a_thousand_shifted_quantiles() {
    let roc = shifted_quantiles(1000, 1.0);
    let area = auc(&roc, 0.95, AucScale::Logit);
    close(area.value, 0.760225, 1e-12);
    close(area.standard_error.unwrap(), 0.0105624212, 1e-8);
    for (fpr, expected) in [(0.001, 0.025), (0.01, 0.095), (0.1, 0.390)] {
        close(tpr_at_fpr(&roc, fpr, 0.95).value.unwrap(), expected, 1e-12);
    }
    close(
        Advantage::from(&balanced_accuracy(&roc, 0.95)).value,
        0.383,
        1e-12,
    );
}
