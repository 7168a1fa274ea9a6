//! The logistic solver against its definition, and against scores made by
//! independent code.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use guestlist_stats::logistic::{fit_logistic, fit_logistic_dense};
use guestlist_stats::special::{ln_sigmoid, softplus};
use guestlist_stats::streams::{Rng, Seed, standard_normal, uniform};

fn objective<const D: usize>(rows: &[[f64; D]], labels: &[bool], penalty: f64, w: &[f64]) -> f64 {
    let losses = rows.iter().zip(labels).map(|(row, &label)| {
        let margin: f64 = row.iter().zip(w).map(|(x, w)| x * w).sum();
        softplus(if label { -margin } else { margin })
    });
    losses.sum::<f64>() + penalty * w[1..].iter().map(|w| w * w).sum::<f64>()
}

/// The gradient, each component divided by the sum of its terms' sizes.
fn relative_gradient<const D: usize>(
    rows: &[[f64; D]],
    labels: &[bool],
    penalty: f64,
    w: &[f64],
) -> f64 {
    let mut worst: f64 = 0.0;
    for j in 0..D {
        let ridge = if j == 0 { 0.0 } else { 2.0 * penalty * w[j] };
        let (mut sum, mut size) = (ridge, ridge.abs());
        for (row, &label) in rows.iter().zip(labels) {
            let margin: f64 = row.iter().zip(w).map(|(x, w)| x * w).sum();
            let chance = ln_sigmoid(margin).exp();
            let term = (chance - f64::from(u8::from(label))) * row[j];
            sum += term;
            size += term.abs();
        }
        worst = worst.max(sum.abs() / size);
    }
    worst
}

/// Rows like an attack's: an intercept and powers of one ill-scaled value.
fn noisy_rows(rng: &mut impl Rng, scale: f64) -> (Vec<[f64; 4]>, Vec<bool>) {
    (0..64)
        .map(|index| {
            let label = index % 2 == 0;
            let x = scale * (standard_normal(rng) + if label { 0.5 } else { -0.5 });
            ([1.0, x, x * x, ln_sigmoid(x)], label)
        })
        .unzip()
}

#[test]
fn the_gradient_vanishes_and_no_neighbour_is_lower() {
    let mut rng = Seed(1).stream("logistic");
    for scale in [0.01, 1.0, 10.0, 100.0] {
        for penalty in [1e-3, 1.0, 30.0] {
            let (rows, labels) = noisy_rows(&mut rng, scale);
            let w = fit_logistic(&rows, &labels, penalty).unwrap();
            assert!(relative_gradient(&rows, &labels, penalty, &w) < 1e-10);
            let best = objective(&rows, &labels, penalty, &w);
            for _ in 0..100 {
                let near = w.map(|w| w * (1.0 + 1e-3 * standard_normal(&mut rng)));
                let value = objective(&rows, &labels, penalty, &near);
                assert!(value >= best - 1e-12 * best, "{value} < {best}");
            }
        }
    }
}

#[test]
fn dense_and_fixed_widths_agree_to_the_bit() {
    let mut rng = Seed(2).stream("logistic");
    for _ in 0..50 {
        let (rows, labels) = noisy_rows(&mut rng, 5.0);
        let fixed = fit_logistic(&rows, &labels, 1.0).unwrap();
        let dense = fit_logistic_dense(rows.as_flattened(), 4, &labels, 1.0).unwrap();
        assert_eq!(fixed.as_slice(), dense);
    }
}

#[test]
fn many_rows_pass_the_block_of_one_logarithm() {
    let mut rng = Seed(3).stream("logistic");
    let rows: Vec<[f64; 2]> = (0..5000)
        .map(|_| [1.0, standard_normal(&mut rng)])
        .collect();
    let labels: Vec<bool> = rows
        .iter()
        .map(|row| uniform(&mut rng).ln() < ln_sigmoid(0.5 + 2.0 * row[1]))
        .collect();
    let w = fit_logistic(&rows, &labels, 1.0).unwrap();
    assert!(relative_gradient(&rows, &labels, 1.0, &w) < 1e-12);
    assert!(
        (w[0] - 0.5).abs() < 0.2 && (w[1] - 2.0).abs() < 0.2,
        "{w:?}"
    );
}

#[test]
fn separable_classes_have_a_minimum_only_under_a_penalty() {
    let rows: Vec<[f64; 2]> = (0..10).map(|i| [1.0, f64::from(i) - 4.5]).collect();
    let labels: Vec<bool> = (0..10).map(|i| i >= 5).collect();
    let w = fit_logistic(&rows, &labels, 1.0).unwrap();
    assert!(w[0].abs() < 1e-9 && w[1] > 0.0);
    assert_eq!(fit_logistic(&rows, &labels, 0.0), None);
}

#[test]
fn ill_posed_fits_are_refused() {
    let rows = [[1.0, 2.0], [1.0, 3.0]];
    assert_eq!(fit_logistic(&rows, &[true, true], 1.0), None);
    assert_eq!(fit_logistic(&rows, &[true], 1.0), None);
    assert_eq!(
        fit_logistic(&[[1.0, f64::NAN], [1.0, 0.0]], &[true, false], 1.0),
        None
    );
    assert_eq!(
        fit_logistic(&[[1.0, f64::INFINITY], [1.0, 0.0]], &[true, false], 1.0),
        None
    );
    assert_eq!(fit_logistic::<2>(&[], &[], 1.0), None);
    assert_eq!(fit_logistic_dense(&[], 0, &[true, false], 1.0), None);
}

struct Elsa {
    data: serde_json::Value,
    target: Vec<f64>,
    shadows: Vec<Vec<f64>>,
    inside: Vec<Vec<u8>>,
}

impl Elsa {
    fn read() -> Elsa {
        let data: serde_json::Value = serde_json::from_str(include_str!("data/elsa.json")).unwrap();
        let target = serde_json::from_value(data["target_phi"].clone()).unwrap();
        let shadows = serde_json::from_value(data["shadow_phi"].clone()).unwrap();
        let inside = serde_json::from_value(data["shadow_in"].clone()).unwrap();
        Elsa {
            data,
            target,
            shadows,
            inside,
        }
    }

    fn check<const D: usize>(&self, name: &str, features: fn(f64) -> [f64; D]) {
        let expected: Vec<f64> = serde_json::from_value(self.data[name].clone()).unwrap();
        for (record, expected) in expected.iter().enumerate() {
            let rows: Vec<[f64; D]> = self
                .shadows
                .iter()
                .map(|shadow| features(shadow[record]))
                .collect();
            let labels: Vec<bool> = self.inside.iter().map(|row| row[record] == 1).collect();
            let w = fit_logistic(&rows, &labels, 1.0).unwrap();
            let target = features(self.target[record]);
            let score: f64 = w.iter().zip(target).map(|(w, x)| w * x).sum();
            let error = (score - expected).abs() / expected.abs();
            assert!(
                error < 1e-8,
                "{name}[{record}] = {score}, not {expected}: {error:e}"
            );
        }
    }
}

#[test]
fn elsa_scores_of_independent_code_are_reproduced() {
    let elsa = Elsa::read();
    elsa.check("elsa1", |x| [1.0, ln_sigmoid(x)]);
    elsa.check("elsa2_phi", |x| [1.0, x]);
    elsa.check("elsa3_beta", |x| [1.0, ln_sigmoid(x), ln_sigmoid(-x)]);
    elsa.check("elsa3_gamma", |x| [1.0, softplus(-x).ln(), ln_sigmoid(x)]);
    elsa.check("elsa3_phi", |x| [1.0, x, x * x]);
    elsa.check("elsa_full", |x| {
        let (ln_p, ln_q) = (ln_sigmoid(x), ln_sigmoid(-x));
        [
            1.0,
            (-ln_p).ln(),
            ln_p,
            ln_q,
            x * x,
            ln_p.exp(),
            (2.0 * ln_p).exp(),
        ]
    });
}

#[test]
fn features_beyond_what_can_be_squared_are_refused_at_once() {
    let rows: Vec<[f64; 2]> = (0..8).map(|i| [1.0, 1e200 * f64::from(i - 4)]).collect();
    let labels: Vec<bool> = (0..8).map(|i| i % 2 == 0).collect();
    assert!(fit_logistic(&rows, &labels, 1.0).is_none());
}
