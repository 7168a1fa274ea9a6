//! Ridge regression by the normal equations on centred columns.

use crate::cholesky;

/// Whether the fit has an (unpenalised) intercept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intercept {
    Free,
    None,
}

/// The fitted line: intercept + weights · row.
#[derive(Clone, Debug, PartialEq)]
pub struct Ridge {
    pub intercept: f64,
    pub weights: Vec<f64>,
}

/// Minimises Σ (target − intercept − w·row)² + penalty·‖w‖². `rows` is
/// row-major, `columns` wide. `None` when the shapes disagree, there is no row,
/// a value is not finite, or the system is singular (only without a penalty).
pub fn ridge(
    rows: &[f64],
    columns: usize,
    targets: &[f64],
    penalty: f64,
    intercept: Intercept,
) -> Option<Ridge> {
    if targets.is_empty() || rows.len() != targets.len() * columns {
        return None;
    }
    let (centre, level) = match intercept {
        Intercept::Free => (column_means(rows, columns, targets.len()), mean(targets)),
        Intercept::None => (vec![0.0; columns], 0.0),
    };
    let mut gram = vec![0.0; columns * columns];
    let mut weights = vec![0.0; columns];
    let mut centred = vec![0.0; columns];
    for (index, target) in targets.iter().enumerate() {
        let row = &rows[index * columns..][..columns];
        for (j, value) in centred.iter_mut().enumerate() {
            *value = row[j] - centre[j];
        }
        accumulate(&mut gram, &mut weights, &centred, target - level);
    }
    for j in 0..columns {
        gram[j * columns + j] += penalty;
    }
    if !cholesky::factor(&mut gram, columns) {
        return None;
    }
    cholesky::solve(&gram, columns, &mut weights);
    let shift: f64 = weights.iter().zip(&centre).map(|(w, c)| w * c).sum();
    let fit = Ridge {
        intercept: level - shift,
        weights,
    };
    let finite = fit.intercept.is_finite() && fit.weights.iter().all(|w| w.is_finite());
    finite.then_some(fit)
}

/// Adds one row to the lower triangle of XᵀX and to Xᵀy.
fn accumulate(gram: &mut [f64], moments: &mut [f64], row: &[f64], target: f64) {
    for (j, &value) in row.iter().enumerate() {
        moments[j] += value * target;
        let line = &mut gram[j * row.len()..][..=j];
        for (cell, &other) in line.iter_mut().zip(row) {
            *cell += value * other;
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn column_means(rows: &[f64], columns: usize, count: usize) -> Vec<f64> {
    let mut means = vec![0.0; columns];
    for index in 0..count {
        for (j, total) in means.iter_mut().enumerate() {
            *total += rows[index * columns + j];
        }
    }
    means.iter_mut().for_each(|total| *total /= count as f64);
    means
}
