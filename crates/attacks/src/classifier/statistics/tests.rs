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
    let record = compute(&data.signals()).records.get(0);
    let all = ((1.0 + (-1f64).exp()) / 3.0).ln() - 900.0;
    assert!((record.ln_mean_probability - all).abs() < 1e-10);
    assert!((record.ln_mean_probability_outside - (-901.0 - 2f64.ln())).abs() < 1e-10);
}

#[test]
fn a_class_without_shadows_has_no_observations() {
    let data = signals_of(&[1.0], &[&[2.0], &[4.0]], &[&[true], &[true]]);
    let record = compute(&data.signals()).records.get(0);
    assert_eq!(
        (record.inside.n, record.inside.mean, record.inside.scatter),
        (2.0, 3.0, 2.0)
    );
    assert_eq!(record.outside.n, 0.0);
    assert_eq!(record.pooled, record.inside);
}

/// All numbers of a record, to the bit.
fn bits(record: RecordStatistics) -> Vec<u64> {
    let moments = |own: Moments| [own.n, own.mean, own.scatter];
    let all = [
        vec![record.target, record.ln_p, record.outside_below],
        moments(record.inside).to_vec(),
        moments(record.outside).to_vec(),
        moments(record.pooled).to_vec(),
        vec![
            record.ln_mean_probability,
            record.ln_mean_probability_outside,
        ],
    ];
    all.into_iter().flatten().map(f64::to_bits).collect()
}

#[test]
fn single_precision_is_summed_as_its_numbers_in_double_are() {
    for (records, shadows) in [(1, 2), (70, 3), (333, 64), (130, 131)] {
        let (data, singles) = random_signals(records, shadows, 8).in_singles();
        let (fast, slow) = (compute(&singles), compute(&data.signals()));
        let pairs = fast.records.iter().zip(slow.records.iter());
        for (record, (fast, slow)) in pairs.enumerate() {
            assert_eq!(bits(fast), bits(slow), "{record} of {records} × {shadows}");
        }
    }
}

#[test]
fn what_a_record_gets_does_not_depend_on_its_neighbours() {
    let mut data = random_signals(100, 70, 9);
    // One record whose first shadows lie far from all others.
    for row in &mut data.phi[1..4] {
        row[17] = 1e7;
    }
    let order: Vec<usize> = (0..100).map(|place| place * 37 % 100).collect();
    let (one, other) = (
        compute(&data.signals()),
        compute(&data.permuted(&order).signals()),
    );
    for (place, &record) in order.iter().enumerate() {
        assert_eq!(
            bits(other.records.get(place)),
            bits(one.records.get(record))
        );
    }
}

#[test]
fn a_scatter_keeps_its_digits_wherever_the_first_shadows_lie() {
    let mut data = random_signals(24, 200, 10);
    for (record, apart) in [(0, 1e3), (1, -1e5), (2, 1e8), (3, 1e-9)] {
        for row in &mut data.phi[1..5] {
            row[record] += apart;
        }
    }
    // All alike but the first few, and all alike.
    for (model, row) in data.phi.iter_mut().enumerate() {
        row[4] = if model < 6 {
            -7.0
        } else {
            16.118_095_650_958_32
        };
        row[5] = 0.1;
    }
    let statistics = compute(&data.signals());
    for (i, record) in statistics.records.iter().enumerate() {
        let column = data.column(i);
        for (fast, inside) in [(record.inside, true), (record.outside, false)] {
            let slow = Moments::from_values(&column.class(inside).collect::<Vec<_>>());
            assert!(close(fast.mean, slow.mean), "{i}: {fast:?} {slow:?}");
            assert!(
                i == 5 || close(fast.scatter, slow.scatter),
                "{i}: {fast:?} {slow:?}"
            );
        }
    }
    let alike = statistics.records.get(5);
    assert_eq!((alike.inside.scatter, alike.outside.scatter), (0.0, 0.0));
}

#[test]
fn mean_probabilities_keep_their_digits_at_both_ends() {
    let columns: [&[f64]; 6] = [
        &[30.0, 35.0, 41.0, 700.0, 709.5, 36.5],
        &[-30.0, -35.0, -41.0, -600.0, -707.0, -33.0],
        &[-0.5, 900.0, 38.0, 60.0, 50.0, 45.0],
        &[0.5, -900.0, -38.0, -60.0, -50.0, -45.0],
        &[1e-9, -1e-9, 0.0, -0.0, 0.3465, 0.3467],
        &[39.9, -39.9, 40.1, -40.1, 12.0, -12.0],
    ];
    for column in columns {
        let rows: Vec<Vec<f64>> = column.iter().map(|&phi| vec![phi]).collect();
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let keep: Vec<&[bool]> = (0..6)
            .map(|k| if k == 2 { &[true][..] } else { &[false] })
            .collect();
        let record = compute(&signals_of(&[1.0], &rows, &keep).signals())
            .records
            .get(0);
        // ln of a mean of p, or of one less a mean of 1 − p, whichever is small.
        let slow = |values: &[f64]| {
            let n = values.len() as f64;
            let sum = |sign: f64| -> f64 {
                let terms: Vec<f64> = values.iter().map(|phi| ln_sigmoid(sign * phi)).collect();
                (log_sum_exp(&terms) - n.ln()).min(0.0)
            };
            if sum(1.0) < sum(-1.0) {
                sum(1.0)
            } else {
                (-sum(-1.0).exp()).ln_1p()
            }
        };
        let without: Vec<f64> = (0..6).filter(|k| *k != 2).map(|k| column[k]).collect();
        for (fast, slow) in [
            (record.ln_mean_probability, slow(column)),
            (record.ln_mean_probability_outside, slow(&without)),
        ] {
            let near = (fast - slow).abs() <= 2e-14 * slow.abs().max(1e-300);
            assert!(near, "{column:?}: {fast} {slow}");
        }
    }
}
