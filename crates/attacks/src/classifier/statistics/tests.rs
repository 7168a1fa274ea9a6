//! Every fast statistic beside its naive twin.

use super::*;
use crate::classifier::tests::{random_signals, signals_of};
use base::Progress;

const ALL: Wants = Wants {
    probabilities: true,
    shapes: true,
};

fn compute(signals: &ShadowSignals) -> Statistics {
    Statistics::compute(
        signals,
        0,
        ALL,
        Estimator::MaximumLikelihood,
        Progress::unwatched(),
    )
    .unwrap()
}

fn close(fast: f64, slow: f64) -> bool {
    fast == slow || (fast - slow).abs() <= 1e-12 * slow.abs().max(1e-300)
}

#[test]
fn statistics_equal_those_computed_record_by_record() {
    let (records, shadows) = (333, 17);
    let data = random_signals(records, shadows, 5);
    let statistics = compute(&data.signals());
    for (i, record) in statistics.records.iter().enumerate() {
        let column = data.column(i);
        let inside: Vec<f64> = column.class(true).collect();
        let outside: Vec<f64> = column.class(false).collect();
        for (fast, values) in [
            (record.inside, &inside),
            (record.outside, &outside),
            (record.pooled, &column.phi),
        ] {
            let slow = Moments::from_values(values);
            assert_eq!(fast.n, slow.n);
            assert!(close(fast.mean, slow.mean) && close(fast.scatter, slow.scatter));
        }
        let mean_p = |values: &[f64]| {
            let total: f64 = values.iter().map(|phi| 1.0 / (1.0 + (-phi).exp())).sum();
            (total / values.len() as f64).ln()
        };
        assert!((record.ln_mean_probability - mean_p(&column.phi)).abs() < 1e-13);
        assert!((record.ln_mean_probability_outside - mean_p(&outside)).abs() < 1e-13);
        let below = outside.iter().filter(|&&phi| phi < column.target).count();
        assert_eq!(record.outside_below, below as f64);
    }
    let all: Vec<f64> = (0..records)
        .flat_map(|i| data.column(i).class(true).collect::<Vec<_>>())
        .collect();
    let slow = Moments::from_values(&all);
    assert_eq!(statistics.all_inside.n, slow.n);
    assert!(close(statistics.all_inside.mean, slow.mean));
    assert!(close(statistics.all_inside.scatter, slow.scatter));
}

#[test]
fn probabilities_that_underflow_are_averaged_in_the_log_domain() {
    let data = signals_of(
        &[0.0],
        &[&[-900.0], &[-901.0], &[-1000.0]],
        &[&[true], &[false], &[false]],
    );
    let record = compute(&data.signals()).records[0];
    let all = ((1.0 + (-1f64).exp()) / 3.0).ln() - 900.0;
    assert!((record.ln_mean_probability - all).abs() < 1e-10);
    assert!((record.ln_mean_probability_outside - (-901.0 - 2f64.ln())).abs() < 1e-10);
}

#[test]
fn a_class_without_shadows_has_no_observations() {
    let data = signals_of(&[1.0], &[&[2.0], &[4.0]], &[&[true], &[true]]);
    let record = compute(&data.signals()).records[0];
    assert_eq!(
        (record.inside.n, record.inside.mean, record.inside.scatter),
        (2.0, 3.0, 2.0)
    );
    assert_eq!(record.outside.n, 0.0);
    assert_eq!(record.pooled, record.inside);
}
