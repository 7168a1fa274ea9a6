//! ROC counts: a worked example, the quadratic twin, and the edges.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use guestlist_stats::roc::{Roc, RocPoint};
use proptest::prelude::*;

fn roc(members: &[f64], nonmembers: &[f64]) -> Roc {
    let members = members.iter().map(|&score| (score, true));
    Roc::new(members.chain(nonmembers.iter().map(|&score| (score, false)))).unwrap()
}

/// Worked by hand and by scipy (golden measures, T1).
fn worked_example() -> Roc {
    roc(
        &[0.9, 0.8, 0.8, 0.7, 0.6, 0.55, 0.4, 0.3],
        &[0.8, 0.6, 0.5, 0.45, 0.4, 0.35, 0.2, 0.1],
    )
}

#[test]
fn worked_example_counts() {
    let roc = worked_example();
    let false_positives: Vec<u64> = roc.points().iter().map(|p| p.false_positives).collect();
    let true_positives: Vec<u64> = roc.points().iter().map(|p| p.true_positives).collect();
    assert_eq!(false_positives, [0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 6, 7, 8]);
    assert_eq!(true_positives, [0, 1, 3, 4, 5, 6, 6, 6, 7, 7, 8, 8, 8]);
    assert_eq!((roc.members(), roc.nonmembers()), (8, 8));
    assert_eq!(roc.auc(), 0.75);
    assert_eq!(roc.auc_hull(), 0.8046875);
}

#[test]
fn worked_example_operating_points() {
    let roc = worked_example();
    let steps = [
        (0.0, 0.125),
        (0.05, 0.125),
        (0.1, 0.125),
        (0.125, 0.5),
        (0.2, 0.5),
        (0.25, 0.75),
        (0.3, 0.75),
        (0.5, 0.75),
    ];
    for (fpr, tpr) in steps {
        assert_eq!(
            roc.point_at_fpr(fpr).true_positives as f64 / 8.0,
            tpr,
            "at {fpr}"
        );
    }
    let best = RocPoint {
        threshold: Some(0.55),
        true_positives: 6,
        false_positives: 2,
    };
    assert_eq!(roc.best_balanced(), best);
}

/// Scores turned round are the scores with their sign turned.
#[test]
fn the_low_end_is_the_high_end_of_the_negatives() {
    for seed in 0..40_u32 {
        let score = |i: u32| f64::from((i * 7919 + seed * 31) % 23);
        let records = || (0..60).map(|i| (score(i), (i * 13 + seed).is_multiple_of(3)));
        let roc = Roc::new(records()).unwrap();
        let negated = Roc::new(records().map(|(score, member)| (-score, member))).unwrap();
        let same = |turned: RocPoint, usual: RocPoint| {
            assert_eq!(turned.threshold.map(|cut| -cut), usual.threshold);
            assert_eq!(turned.true_positives, usual.true_positives);
            assert_eq!(turned.false_positives, usual.false_positives);
        };
        for allowed in 0..=roc.nonmembers() {
            same(
                roc.turned_point_at_false_positives(allowed),
                negated.point_at_false_positives(allowed),
            );
        }
        same(roc.turned_best_balanced(), negated.best_balanced());
    }
}

#[test]
fn the_budget_survives_decimal_rounding() {
    let nonmembers: Vec<f64> = (0..1000).map(f64::from).collect();
    let roc = roc(&[500.0], &nonmembers);
    for allowed in 0..=1000u32 {
        let fpr = f64::from(allowed) / 1000.0;
        assert!(
            roc.point_at_fpr(fpr).false_positives == u64::from(allowed),
            "{allowed}"
        );
    }
    assert_eq!(roc.point_at_fpr(0.0019).false_positives, 1);
    assert_eq!(roc.point_at_fpr(f64::NAN).false_positives, 0);
    assert_eq!(roc.point_at_fpr(-1.0).false_positives, 0);
    assert_eq!(roc.point_at_fpr(7.0).false_positives, 1000);
}

#[test]
fn infinite_scores_and_signed_zeros_tie_among_themselves() {
    let inf = f64::INFINITY;
    let roc = roc(&[inf, 0.0, -inf], &[inf, -0.0, -inf]);
    let thresholds: Vec<_> = roc.points().iter().map(|p| p.threshold).collect();
    assert_eq!(thresholds, [None, Some(inf), Some(0.0), Some(-inf)]);
    assert_eq!(roc.auc(), 0.5);
    assert_eq!(roc.point_at_fpr(0.0).threshold, None);
}

#[test]
fn an_empty_class_or_nan_is_refused() {
    assert!(Roc::new([].into_iter()).is_none());
    assert!(Roc::new([(1.0, true)].into_iter()).is_none());
    assert!(Roc::new([(1.0, false)].into_iter()).is_none());
    assert!(Roc::new([(1.0, false), (f64::NAN, true)].into_iter()).is_none());
}

fn tied_scores() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec((-4i8..5).prop_map(f64::from), 1..40)
}

proptest! {
    #[test]
    fn area_is_the_pair_count(members in tied_scores(), nonmembers in tied_scores()) {
        let mut twice = 0u32;
        for m in &members {
            for n in &nonmembers {
                twice += if m > n { 2 } else { u32::from(m == n) };
            }
        }
        let pairs = (members.len() * nonmembers.len()) as f64;
        prop_assert_eq!(roc(&members, &nonmembers).auc(), f64::from(twice) / (2.0 * pairs));
    }

    #[test]
    fn points_count_scores_at_or_above(members in tied_scores(), nonmembers in tied_scores()) {
        let roc = roc(&members, &nonmembers);
        for point in &roc.points()[1..] {
            let at = point.threshold.unwrap();
            let above = |scores: &[f64]| scores.iter().filter(|&&s| s >= at).count() as u64;
            prop_assert_eq!(point.true_positives, above(&members));
            prop_assert_eq!(point.false_positives, above(&nonmembers));
        }
        prop_assert!(roc.auc_hull() >= roc.auc());
        prop_assert!(roc.auc_hull() >= 0.5);
    }

    #[test]
    fn operating_points_are_the_best_allowed(
        members in tied_scores(), nonmembers in tied_scores(), max in 0u64..45,
    ) {
        let roc = roc(&members, &nonmembers);
        let allowed = roc.points().iter().filter(|p| p.false_positives <= max);
        let best = allowed.map(|p| p.true_positives).max().unwrap();
        prop_assert_eq!(roc.point_at_false_positives(max).true_positives, best);
    }

    #[test]
    fn negated_scores_mirror_the_area(
        members in prop::collection::vec(any::<f64>(), 1..30),
        nonmembers in prop::collection::vec(any::<f64>(), 1..30),
    ) {
        let finite = |s: &[f64]| s.iter().map(|x| if x.is_nan() { 0.0 } else { *x }).collect::<Vec<_>>();
        let negated = |s: &[f64]| s.iter().map(|x| -x).collect::<Vec<_>>();
        let (members, nonmembers) = (finite(&members), finite(&nonmembers));
        let there = roc(&members, &nonmembers).auc();
        let back = roc(&negated(&members), &negated(&nonmembers)).auc();
        prop_assert!((there + back - 1.0).abs() < 1e-15);
    }
}
