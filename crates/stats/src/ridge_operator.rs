//! Ridge regression of many targets on the same rows: the linear map from targets to weights,
//! computed once, so that each further target costs one product.

use crate::cholesky;
use crate::ridge::Intercept;

/// weights = operator · targets, as [`crate::ridge::ridge`] gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeOperator {
    rows: usize,
    columns: usize,
    /// One line of `rows` numbers per column of the regression.
    lines: Vec<f64>,
    /// What a fit leaves of each row's target: 1 − X·operator, less the mean where the intercept
    /// takes it.
    leaving: Vec<f64>,
}

impl RidgeOperator {
    /// `values` is row-major, `columns` wide. `None` when the shape is not a matrix, there is no
    /// row or column, a value is not finite, or the system is singular (only without a penalty).
    pub fn new(values: &[f64], columns: usize, penalty: f64, intercept: Intercept) -> Option<Self> {
        let rows = values.len().checked_div(columns)?;
        if rows == 0 || rows * columns != values.len() {
            return None;
        }
        let by_row = match intercept {
            Intercept::Free => centred(values, columns),
            Intercept::None => values.to_vec(),
        };
        let by_column = transposed(&by_row, columns);
        // (XᵀX + λ)⁻¹Xᵀ = Xᵀ(XXᵀ + λ)⁻¹: the smaller of the two systems is solved. Without a
        // penalty only the first need have a solution.
        let dual = rows < columns && penalty > 0.0;
        let lines = match dual {
            true => {
                let inverse = inverse(&by_row, columns, penalty)?;
                by_column
                    .chunks_exact(rows)
                    .flat_map(|column| combined(column, &inverse, rows))
                    .collect::<Vec<f64>>()
            }
            false => {
                let inverse = inverse(&by_column, rows, penalty)?;
                inverse
                    .chunks_exact(columns)
                    .flat_map(|line| combined(line, &by_column, rows))
                    .collect()
            }
        };
        let leaving = leaving(&by_row, &lines, rows, intercept);
        lines.iter().all(|value| value.is_finite()).then_some(Self {
            rows,
            columns,
            lines,
            leaving,
        })
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The weights of these targets, one per column. Targets beyond the rows are not looked at.
    pub fn weights<'a>(&'a self, targets: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let lines = self.lines.chunks_exact(self.rows);
        lines.map(move |line| dot(line, targets))
    }

    /// The sum of squares that the fit of these targets leaves.
    pub fn left(&self, targets: &[f64]) -> f64 {
        let lines = self.leaving.chunks_exact(self.rows);
        lines.map(|line| dot(line, targets).powi(2)).sum()
    }

    /// What each row's target adds to the sum of all weights.
    pub fn summed(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows];
        for line in self.lines.chunks_exact(self.rows) {
            add_scaled(&mut sums, 1.0, line);
        }
        sums
    }
}

fn leaving(by_row: &[f64], lines: &[f64], rows: usize, intercept: Intercept) -> Vec<f64> {
    let columns = lines.len() / rows;
    let taken = match intercept {
        Intercept::Free => 1.0 / rows as f64,
        Intercept::None => 0.0,
    };
    let line = |(place, row): (usize, &[f64])| {
        let mut left: Vec<f64> = combined(row, lines, rows);
        left.iter_mut().for_each(|value| *value = -taken - *value);
        left[place] += 1.0;
        left
    };
    let each = by_row.chunks_exact(columns).enumerate();
    each.flat_map(line).collect()
}

/// (A·Aᵀ + penalty)⁻¹ for the matrix of these lines, each `length` long.
fn inverse(lines: &[f64], length: usize, penalty: f64) -> Option<Vec<f64>> {
    let size = lines.len() / length;
    let line = |place: usize| &lines[place * length..][..length];
    let mut gram = vec![0.0; size * size];
    for row in 0..size {
        for column in 0..=row {
            gram[row * size + column] = dot(line(row), line(column));
        }
        gram[row * size + row] += penalty;
    }
    if !cholesky::factor(&mut gram, size) {
        return None;
    }
    Some(cholesky::inverse(&gram, size))
}

/// Σ factor · line, over lines of this length.
fn combined(factors: &[f64], lines: &[f64], length: usize) -> Vec<f64> {
    let mut sum = vec![0.0; length];
    for (factor, line) in factors.iter().zip(lines.chunks_exact(length)) {
        add_scaled(&mut sum, *factor, line);
    }
    sum
}

fn add_scaled(sum: &mut [f64], factor: f64, line: &[f64]) {
    for (cell, value) in sum.iter_mut().zip(line) {
        *cell += factor * value;
    }
}

fn centred(values: &[f64], columns: usize) -> Vec<f64> {
    let rows = values.len() / columns;
    let mut means = vec![0.0; columns];
    for row in values.chunks_exact(columns) {
        add_scaled(&mut means, 1.0 / rows as f64, row);
    }
    let mut centred = values.to_vec();
    for row in centred.chunks_exact_mut(columns) {
        add_scaled(row, -1.0, &means);
    }
    centred
}

fn transposed(values: &[f64], columns: usize) -> Vec<f64> {
    let column = |place: usize| values.iter().skip(place).step_by(columns).copied();
    (0..columns).flat_map(column).collect()
}

/// The scalar product. Eight running sums, always in this order: fast, and the same everywhere.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    const LANES: usize = 8;
    let length = a.len().min(b.len());
    let (a, b) = (
        a[..length].as_chunks::<LANES>(),
        b[..length].as_chunks::<LANES>(),
    );
    let mut sums = [0.0; LANES];
    for (a, b) in a.0.iter().zip(b.0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f64 = a.1.iter().zip(b.1).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ridge::ridge;
    use crate::streams::{Seed, standard_normal};

    #[test]
    fn weights_are_those_of_the_regression() {
        let mut rng = Seed(3).stream("operator");
        for (rows, columns) in [(1, 1), (5, 3), (3, 5), (16, 16), (40, 7), (9, 30)] {
            let mut draw = |count: usize| -> Vec<f64> {
                (0..count).map(|_| standard_normal(&mut rng)).collect()
            };
            let (values, targets) = (draw(rows * columns), draw(rows));
            for (intercept, penalty) in [
                (Intercept::Free, 1.0),
                (Intercept::None, 1.0),
                (Intercept::Free, 0.01),
            ] {
                let operator = RidgeOperator::new(&values, columns, penalty, intercept).unwrap();
                let fast: Vec<f64> = operator.weights(&targets).collect();
                let slow = ridge(&values, columns, &targets, penalty, intercept).unwrap();
                let gap = |(a, b): (&f64, &f64)| (a - b).abs() / (1.0 + b.abs());
                assert!(
                    fast.iter()
                        .zip(&slow.weights)
                        .map(gap)
                        .all(|gap| gap < 1e-8)
                );
                let total: f64 = operator
                    .summed()
                    .iter()
                    .zip(&targets)
                    .map(|(a, b)| a * b)
                    .sum();
                assert!((total - fast.iter().sum::<f64>()).abs() < 1e-8);
                let miss = |(row, target): (&[f64], &f64)| {
                    let fit: f64 = row.iter().zip(&slow.weights).map(|(x, w)| x * w).sum();
                    (target - slow.intercept - fit).powi(2)
                };
                let left: f64 = values.chunks(columns).zip(&targets).map(miss).sum();
                assert!((operator.left(&targets) - left).abs() < 1e-8);
            }
        }
    }

    #[test]
    fn impossible_systems_are_refused() {
        assert_eq!(RidgeOperator::new(&[], 3, 1.0, Intercept::Free), None);
        assert_eq!(
            RidgeOperator::new(&[1.0, 2.0], 0, 1.0, Intercept::Free),
            None
        );
        assert_eq!(
            RidgeOperator::new(&[1.0, 2.0, 3.0], 2, 1.0, Intercept::Free),
            None
        );
        assert_eq!(
            RidgeOperator::new(&[1.0, f64::NAN], 1, 1.0, Intercept::Free),
            None
        );
        let alike = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0];
        assert_eq!(RidgeOperator::new(&alike, 2, 0.0, Intercept::None), None);
        assert!(RidgeOperator::new(&alike, 2, 1.0, Intercept::None).is_some());
    }
}
