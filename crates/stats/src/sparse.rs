//! Logistic regression on sparse rows, for bags of words: many columns, few of them in a row.
//!
//! Stochastic gradients with AdaGrad's step per column (Duchi, Hazan and Singer 2011) and a ridge
//! penalty that acts on the columns a row touches. Few passes are enough: what counts is the order
//! of the predictions, not the last digit of a weight.

/// Columns and their values; no column twice.
pub type SparseRow = Vec<(u32, f32)>;

const PASSES: usize = 8;
const STEP: f32 = 0.5;

/// Weights of a fitted model.
pub struct SparseLogistic {
    weights: Vec<f32>,
    intercept: f32,
}

impl SparseLogistic {
    /// Fits rows in the given order, over and over. A column at or beyond `columns` is left out.
    pub fn fit(columns: usize, rows: &[(&SparseRow, bool)], penalty: f32) -> Self {
        let mut model = Self {
            weights: vec![0.0; columns],
            intercept: 0.0,
        };
        let mut squares = vec![1e-4f32; columns];
        let mut intercept_squares = 1e-4f32;
        for _ in 0..PASSES {
            for (row, label) in rows {
                let slope = model.slope(row, *label);
                intercept_squares += slope * slope;
                model.intercept -= STEP * slope / intercept_squares.sqrt();
                for &(column, value) in row.iter() {
                    let place = column as usize;
                    let Some(weight) = model.weights.get_mut(place) else {
                        continue;
                    };
                    let gradient = slope * value + penalty * *weight;
                    squares[place] += gradient * gradient;
                    *weight -= STEP * gradient / squares[place].sqrt();
                }
            }
        }
        model
    }

    /// The derivative of the loss by the prediction.
    fn slope(&self, row: &SparseRow, label: bool) -> f32 {
        let chance = 1.0 / (1.0 + (-self.predict(row)).exp());
        chance - f32::from(u8::from(label))
    }

    /// ln of the odds that a row's label is true.
    pub fn predict(&self, row: &SparseRow) -> f32 {
        let terms = row.iter().map(|&(column, value)| {
            let weight = self.weights.get(column as usize);
            weight.copied().unwrap_or(0.0) * value
        });
        self.intercept + terms.sum::<f32>()
    }

    pub fn weights(&self) -> &[f32] {
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On rows that two columns tell apart, the order is that of the dense solver.
    #[test]
    fn it_orders_rows_as_the_dense_solver_does() {
        let value = |i: usize, salt: usize| ((i * 7919 + salt * 104_729) % 101) as f32 / 101.0;
        let rows: Vec<SparseRow> = (0..200)
            .map(|i| vec![(0, value(i, 1)), (1, value(i, 2)), (2, value(i, 3))])
            .collect();
        let labels: Vec<bool> = (0..200)
            .map(|i| value(i, 1) - value(i, 2) + 0.3 * (value(i, 5) - 0.5) > 0.0)
            .collect();
        let pairs: Vec<_> = rows.iter().zip(labels.iter().copied()).collect();
        let fitted = SparseLogistic::fit(3, &pairs, 1e-4);
        let dense: Vec<[f64; 4]> = rows
            .iter()
            .map(|row| [1.0, row[0].1.into(), row[1].1.into(), row[2].1.into()])
            .collect();
        let exact = crate::logistic::fit_logistic(&dense, &labels, 1e-3).unwrap();
        let auc = |score: &dyn Fn(usize) -> f64| {
            let scored = (0..200).map(|i| (score(i), labels[i]));
            crate::roc::Roc::new(scored).unwrap().auc()
        };
        let sparse = auc(&|i| f64::from(fitted.predict(&rows[i])));
        let best = auc(&|i| dense[i].iter().zip(exact).map(|(x, w)| x * w).sum());
        assert!(best > 0.8 && sparse > best - 0.01, "{sparse} {best}");
    }

    #[test]
    fn a_column_that_does_not_exist_counts_for_nothing() {
        let row = vec![(9, 1.0)];
        let fitted = SparseLogistic::fit(2, &[(&row, true), (&vec![(0, 1.0)], false)], 0.0);
        assert!(fitted.predict(&row) > fitted.predict(&vec![(0, 1.0)]));
    }
}
