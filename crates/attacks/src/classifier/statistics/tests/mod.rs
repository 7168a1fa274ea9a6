//! Every fast statistic beside its naive twin.

mod probabilities;
mod scatter;

use super::*;
use crate::classifier::tests::{Data, random_signals, signals_of};
use base::Progress;

const ALL: Wants = Wants {
    probabilities: true,
    shapes: true,
};

fn compute(signals: &ShadowSignals) -> Statistics {
    compute_wanted(signals, ALL)
}

fn compute_wanted(signals: &ShadowSignals, wants: Wants) -> Statistics {
    Statistics::compute(
        signals,
        0,
        wants,
        Estimator::MaximumLikelihood,
        Progress::unwatched(),
    )
    .unwrap()
}

/// Work on so many threads; one is the only one that the work is done on.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().unwrap().install(work)
}

fn close(fast: f64, slow: f64) -> bool {
    fast == slow || (fast - slow).abs() <= 1e-12 * slow.abs().max(1e-300)
}

fn same_moments(fast: Moments, values: &[f64]) {
    let slow = Moments::from_values(values);
    assert_eq!(fast.n, slow.n);
    assert!(close(fast.mean, slow.mean), "{fast:?} {slow:?}");
    assert!(close(fast.scatter, slow.scatter), "{fast:?} {slow:?}");
}

fn same_mean_probability(ln_fast: f64, values: &[f64]) {
    let total: f64 = values.iter().map(|phi| 1.0 / (1.0 + (-phi).exp())).sum();
    let ln_slow = (total / values.len() as f64).ln();
    assert!((ln_fast - ln_slow).abs() < 1e-13, "{ln_fast} {ln_slow}");
}

/// Holds all statistics against those of one record after the other.
fn equal_their_twins(statistics: &Statistics, data: &Data) {
    let records = data.phi[0].len();
    assert_eq!(statistics.records.len(), records);
    let (mut all_inside, mut all_outside) = (Vec::new(), Vec::new());
    for (i, record) in statistics.records.iter().enumerate() {
        let column = data.column(i);
        let inside: Vec<f64> = column.class(true).collect();
        let outside: Vec<f64> = column.class(false).collect();
        assert_eq!(record.target, column.target);
        assert!(close(record.ln_p, ln_sigmoid(column.target)));
        same_moments(record.inside, &inside);
        same_moments(record.outside, &outside);
        same_moments(record.pooled, &column.phi);
        same_mean_probability(record.ln_mean_probability, &column.phi);
        same_mean_probability(record.ln_mean_probability_outside, &outside);
        let below = outside.iter().filter(|&&phi| phi < column.target).count();
        assert_eq!(record.outside_below, below as f64);
        all_inside.extend(inside);
        all_outside.extend(outside);
    }
    same_moments(statistics.all_inside, &all_inside);
    same_moments(statistics.all_outside, &all_outside);
}

fn moment_bits(moments: Moments) -> [u64; 3] {
    [moments.n, moments.mean, moments.scatter].map(f64::to_bits)
}

/// All numbers of a record but its mean probabilities, to the bit.
fn bits_without_probabilities(record: RecordStatistics) -> Vec<u64> {
    let moments = [record.inside, record.outside, record.pooled].map(moment_bits);
    let others = [record.target, record.ln_p, record.outside_below].map(f64::to_bits);
    [moments.as_flattened(), &others].concat()
}

/// All numbers of a record, to the bit.
fn bits(record: RecordStatistics) -> Vec<u64> {
    let means = [
        record.ln_mean_probability,
        record.ln_mean_probability_outside,
    ];
    let mut bits = bits_without_probabilities(record);
    bits.extend(means.map(f64::to_bits));
    bits
}

/// All numbers of all records, and of all observations together.
fn all_bits(statistics: &Statistics) -> Vec<u64> {
    let mut all: Vec<u64> = statistics.records.iter().flat_map(bits).collect();
    all.extend(moment_bits(statistics.all_inside));
    all.extend(moment_bits(statistics.all_outside));
    all
}

#[test]
fn statistics_equal_those_computed_record_by_record() {
    let data = random_signals(333, 17, 5);
    equal_their_twins(&compute(&data.signals()), &data);
}

#[test]
fn many_blocks_are_as_one_record_after_the_other_on_any_threads() {
    for (records, shadows) in [(5003, 17), (1500, 131)] {
        assert!(records > block_records(shadows), "more than one block");
        let (data, singles) = random_signals(records, shadows, 6).in_singles();
        let doubles = data.signals();
        let alone = on_threads(1, || compute(&doubles));
        equal_their_twins(&alone, &data);
        for signals in [&doubles, &singles] {
            for threads in [1, 3] {
                let found = on_threads(threads, || compute(signals));
                assert!(all_bits(&found) == all_bits(&alone), "{threads} threads");
            }
        }
    }
}

#[test]
fn vectors_of_any_width_give_the_same_bits() {
    let mut data = random_signals(100, 451, 7);
    // The first of a class far from the others: sums are taken again.
    data.phi[1][17] = 1e6;
    data.phi[2][18] = -1e6;
    let (data, singles) = data.in_singles();
    for signals in [&data.signals(), &singles] {
        for wants in [Wants::MOMENTS, ALL] {
            let found = on_threads(1, || {
                stats::vectors::at_every_width(|| all_bits(&compute_wanted(signals, wants)))
            });
            assert!(found.iter().all(|bits| *bits == found[0]), "{wants:?}");
        }
    }
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
