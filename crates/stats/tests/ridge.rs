//! Ridge regression against its normal equations.

use guestlist_stats::ridge::{Intercept, Ridge, ridge};
use guestlist_stats::streams::{Seed, standard_normal};

const COLUMNS: usize = 5;

fn problem() -> (Vec<f64>, Vec<f64>) {
    let mut rng = Seed(4).stream("ridge");
    let rows: Vec<f64> = (0..40 * COLUMNS)
        .map(|_| 3.0 + standard_normal(&mut rng))
        .collect();
    let targets = rows.chunks(COLUMNS).map(|row| 7.0 + 2.0 * row[0] - row[3]);
    (
        rows.clone(),
        targets
            .map(|mean| mean + 0.1 * standard_normal(&mut rng))
            .collect(),
    )
}

/// Half the gradient of the objective in the intercept and in each weight.
fn gradient(fit: &Ridge, rows: &[f64], targets: &[f64], penalty: f64) -> Vec<f64> {
    let mut sums: Vec<f64> = fit.weights.iter().map(|w| penalty * w).collect();
    sums.push(0.0);
    for (row, target) in rows.chunks(COLUMNS).zip(targets) {
        let fitted: f64 = row.iter().zip(&fit.weights).map(|(x, w)| x * w).sum();
        let residual = fit.intercept + fitted - target;
        row.iter()
            .enumerate()
            .for_each(|(j, x)| sums[j] += residual * x);
        sums[COLUMNS] += residual;
    }
    sums
}

#[test]
fn the_gradient_vanishes() {
    let (rows, targets) = problem();
    for penalty in [0.0, 1.0, 50.0] {
        let free = ridge(&rows, COLUMNS, &targets, penalty, Intercept::Free).unwrap();
        let slopes = gradient(&free, &rows, &targets, penalty);
        assert!(slopes.iter().all(|g| g.abs() < 1e-10), "{slopes:?}");
        let fixed = ridge(&rows, COLUMNS, &targets, penalty, Intercept::None).unwrap();
        let slopes = gradient(&fixed, &rows, &targets, penalty);
        assert!(
            slopes[..COLUMNS].iter().all(|g| g.abs() < 1e-9),
            "{slopes:?}"
        );
        assert_eq!(fixed.intercept, 0.0);
    }
}

#[test]
fn without_noise_the_line_is_recovered() {
    let rows = [1.0, 2.0, 3.0, 4.0];
    let fit = ridge(&rows, 1, &[5.0, 7.0, 9.0, 11.0], 0.0, Intercept::Free).unwrap();
    assert!((fit.intercept - 3.0).abs() < 1e-12 && (fit.weights[0] - 2.0).abs() < 1e-12);
}

#[test]
fn ill_posed_fits_are_refused() {
    let same = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
    assert_eq!(
        ridge(&same, 2, &[1.0, 2.0, 3.0], 0.0, Intercept::Free),
        None
    );
    assert!(ridge(&same, 2, &[1.0, 2.0, 3.0], 1e-3, Intercept::Free).is_some());
    assert_eq!(
        ridge(&same, 4, &[1.0, 2.0, 3.0], 1.0, Intercept::Free),
        None
    );
    assert_eq!(ridge(&[], 2, &[], 1.0, Intercept::Free), None);
    assert_eq!(
        ridge(&[1.0, f64::NAN], 1, &[1.0, 2.0], 1.0, Intercept::Free),
        None
    );
    assert_eq!(
        ridge(&[1.0, 2.0], 1, &[1.0, f64::NAN], 1.0, Intercept::None),
        None
    );
}
