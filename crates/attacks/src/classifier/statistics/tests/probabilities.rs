//! Mean probabilities, and what is counted on the way.

use stats::streams::{Seed, standard_normal};

use super::block::Block;
use super::*;

/// One record under shadows that did not train on it, but for those named.
fn one_record(phi: &[f64], inside: &[usize]) -> RecordStatistics {
    let rows: Vec<&[f64]> = phi.iter().map(std::slice::from_ref).collect();
    let keep = |shadow: usize| {
        if inside.contains(&shadow) {
            &[true][..]
        } else {
            &[false]
        }
    };
    let keep: Vec<&[bool]> = (0..phi.len()).map(keep).collect();
    let data = signals_of(&[1.0], &rows, &keep);
    compute(&data.signals()).records.get(0)
}

/// ln of a mean of p, or of one less a mean of 1 − p, whichever is small.
fn slow_ln_mean(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let ln_mean = |sign: f64| -> f64 {
        let terms: Vec<f64> = values.iter().map(|phi| ln_sigmoid(sign * phi)).collect();
        (log_sum_exp(&terms) - n.ln()).min(0.0)
    };
    if ln_mean(1.0) < ln_mean(-1.0) {
        ln_mean(1.0)
    } else {
        (-ln_mean(-1.0).exp()).ln_1p()
    }
}

fn keeps_its_digits(fast: f64, values: &[f64]) {
    let slow = slow_ln_mean(values);
    let near = (fast - slow).abs() <= 2e-14 * slow.abs().max(1e-300);
    assert!(near, "{:?}…: {fast} {slow}", &values[..5]);
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
        let record = one_record(column, &[2]);
        let without = [&column[..2], &column[3..]].concat();
        keeps_its_digits(record.ln_mean_probability, column);
        keeps_its_digits(record.ln_mean_probability_outside, &without);
    }
}

#[test]
fn one_shadow_that_disagrees_with_all_others_costs_no_digits() {
    let mut rng = Seed(4).stream("confident");
    let others: Vec<f64> = (0..4095)
        .map(|_| 30.0 + 3.0 * standard_normal(&mut rng))
        .collect();
    for (first, sign) in [(-0.3, 1.0), (0.3, -1.0), (-3.0, 1.0), (3.0, -1.0)] {
        let others = others.iter().map(|phi| sign * phi);
        let mut column: Vec<f64> = std::iter::once(first).chain(others).collect();
        for _ in 0..2 {
            let record = one_record(&column, &[7]);
            let without = [&column[..7], &column[8..]].concat();
            keeps_its_digits(record.ln_mean_probability, &column);
            keeps_its_digits(record.ln_mean_probability_outside, &without);
            // The same, where it comes last.
            column.rotate_left(1);
        }
    }
}

#[test]
fn equal_shadows_in_another_order_give_equal_means() {
    let mut column = [[17.328_679, -103.972, -103.972]; 5].concat();
    let means = |column: &[f64]| {
        let record = one_record(column, &[]);
        [
            record.ln_mean_probability,
            record.ln_mean_probability_outside,
        ]
    };
    let first = means(&column);
    for _ in 0..2 {
        for _ in 0..column.len() {
            assert_eq!(means(&column), first, "{column:?}");
            column.rotate_left(1);
        }
        column.sort_unstable_by(f64::total_cmp);
    }
}

#[test]
fn sums_go_on_from_run_to_run_of_shadows() {
    for shadows in [64, 65, 66, 67, 68, 127, 128, 129, 131, 190] {
        let (data, singles) = random_signals(20, shadows, 11).in_singles();
        equal_their_twins(&compute(&data.signals()), &data);
        equal_their_twins(&compute(&singles), &data);
    }
}

#[test]
fn moments_are_the_same_whether_probabilities_are_wanted_or_not() {
    for shadows in [3, 64, 131, 300] {
        let (data, singles) = random_signals(50, shadows, 12).in_singles();
        for signals in [&data.signals(), &singles] {
            let alone = compute_wanted(signals, Wants::MOMENTS);
            let beside = compute_wanted(signals, Wants::PROBABILITIES);
            for (alone, beside) in alone.records.iter().zip(beside.records.iter()) {
                let [alone, beside] = [alone, beside].map(bits_without_probabilities);
                assert_eq!(alone, beside);
            }
            assert_eq!(alone.all_inside, beside.all_inside);
            assert_eq!(alone.all_outside, beside.all_outside);
        }
    }
}

#[test]
fn probabilities_are_right_to_the_last_digits_wherever_they_lie() {
    let target: Vec<f64> = (-2832..=2832).map(|step| f64::from(step) / 4.0).collect();
    let keep = vec![false; target.len()];
    let signals = signals_of(&target, &[&target], &[&keep]).signals();
    let mut block = Block::default();
    block.load(&signals, 0..target.len(), 0, Rescale::Exact);
    let mut run = simd::Run::default();
    for (tile, phi) in block.tiles::<f64>() {
        let from = simd::Origins::default();
        let (_, found) = simd::sums_and_probabilities(tile, &from, &mut run);
        for (i, &phi) in phi.iter().enumerate() {
            let small = (-phi.abs()).exp();
            let small = small / (1.0 + small);
            let fast = found.all.apart[i];
            assert!(
                (fast.abs() / small - 1.0).abs() <= 9e-16,
                "{phi}: {fast} {small}"
            );
            assert_eq!(found.all.ones[i], u64::from(fast < 0.0), "{phi}");
            assert_eq!(fast < 0.0, phi.is_sign_positive(), "{phi}");
        }
    }
}
