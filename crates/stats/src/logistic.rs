//! Ridge logistic regression by damped Newton, for very many very small fits.
//!
//! The objective is Σ ln(1 + exp(−sᵢ w·xᵢ)) + penalty · Σ_{j≥1} wⱼ², s = ±1;
//! column 0 is the intercept and is not penalised. It is convex, so Newton with
//! step halving finds the one minimum. The same code serves a width known to
//! the compiler (stack only) and any width (one allocation per fit).

use crate::cholesky;

/// Newton steps allowed; a well-posed fit takes five to fifteen.
const MOST_STEPS: usize = 200;
/// The squared Newton decrement estimates how far the objective is above its
/// minimum (twice over). It is judged as a share of the objective, because
/// separable classes without a penalty drive both to zero. Below this share the
/// step at hand squares an error of about 1e-8, and is the last.
const LAST_STEP: f64 = 1e-15;
/// Below this share the objective's own rounding hides its decrease, and a full
/// step is in the region where Newton cannot overshoot.
const QUADRATIC: f64 = 1e-10;
const MOST_HALVINGS: usize = 60;
/// Factors 1 + e ≤ 2 multiplied before a logarithm is taken: far from overflow.
const ROWS_PER_LOGARITHM: usize = 512;

/// Fits rows of a width known at compile time. `None` when a class is missing,
/// the lengths differ, a value is not finite, or there is no minimum (which a
/// positive penalty excludes).
pub fn fit_logistic<const D: usize>(
    rows: &[[f64; D]],
    labels: &[bool],
    penalty: f64,
) -> Option<[f64; D]> {
    let mut weights = [0.0; D];
    let (mut hessian, mut factor) = ([[0.0; D]; D], [[0.0; D]; D]);
    let mut scratch = Scratch {
        gradient: &mut [0.0; D],
        step: &mut [0.0; D],
        trial: &mut [0.0; D],
        hessian: hessian.as_flattened_mut(),
        factor: factor.as_flattened_mut(),
    };
    let problem = Problem {
        rows: rows.as_flattened(),
        columns: D,
        labels,
        penalty,
    };
    problem
        .minimise(&mut weights, &mut scratch)
        .then_some(weights)
}

/// Fits rows of any width, row-major. `None` as for [`fit_logistic`].
pub fn fit_logistic_dense(
    rows: &[f64],
    columns: usize,
    labels: &[bool],
    penalty: f64,
) -> Option<Vec<f64>> {
    let mut weights = vec![0.0; columns];
    let mut scratch = Scratch {
        gradient: &mut vec![0.0; columns],
        step: &mut vec![0.0; columns],
        trial: &mut vec![0.0; columns],
        hessian: &mut vec![0.0; columns * columns],
        factor: &mut vec![0.0; columns * columns],
    };
    let problem = Problem {
        rows,
        columns,
        labels,
        penalty,
    };
    problem
        .minimise(&mut weights, &mut scratch)
        .then_some(weights)
}

/// Room for one fit. The Hessian is a lower triangle in a row-major square.
struct Scratch<'a> {
    gradient: &'a mut [f64],
    step: &'a mut [f64],
    trial: &'a mut [f64],
    hessian: &'a mut [f64],
    factor: &'a mut [f64],
}

struct Problem<'a> {
    rows: &'a [f64],
    columns: usize,
    labels: &'a [bool],
    penalty: f64,
}

impl Problem<'_> {
    fn well_posed(&self) -> bool {
        let members = self.labels.iter().filter(|&&label| label).count();
        let two_classes = members > 0 && members < self.labels.len();
        two_classes && self.columns > 0 && self.rows.len() == self.labels.len() * self.columns
    }

    /// Moves `weights` (zero at first) to the minimum; false when it cannot.
    #[inline(always)]
    fn minimise(&self, weights: &mut [f64], scratch: &mut Scratch) -> bool {
        if !self.well_posed() {
            return false;
        }
        let mut objective = self.evaluate(weights, scratch);
        let mut share = f64::INFINITY;
        for _ in 0..MOST_STEPS {
            let Some(decrement) = self.newton_step(scratch) else {
                return false;
            };
            share = decrement / objective;
            if share <= LAST_STEP {
                move_along(weights, scratch.step, 1.0);
                return true;
            }
            match self.descend(weights, scratch, objective, decrement) {
                Some(lower) => objective = lower,
                None => return false,
            }
        }
        // Collinear columns under next to no penalty: rounding alone is left.
        share <= QUADRATIC
    }

    /// Solves Hessian · step = gradient; returns gradient · step, the squared
    /// Newton decrement (Boyd and Vandenberghe 2004, §9.5.1).
    #[inline(always)]
    fn newton_step(&self, scratch: &mut Scratch) -> Option<f64> {
        let columns = self.columns;
        let largest = (0..columns)
            .map(|j| scratch.hessian[j * columns + j])
            .fold(0.0, f64::max);
        if !largest.is_finite() {
            return None;
        }
        let mut jitter = 0.0;
        loop {
            scratch.factor.copy_from_slice(scratch.hessian);
            for j in 0..columns {
                scratch.factor[j * columns + j] += jitter;
            }
            if cholesky::factor(scratch.factor, columns) {
                break;
            }
            jitter = if jitter == 0.0 {
                1e-14 * largest
            } else {
                100.0 * jitter
            };
            if !(jitter > 0.0 && jitter <= largest) {
                return None;
            }
        }
        scratch.step.copy_from_slice(scratch.gradient);
        cholesky::solve(scratch.factor, columns, scratch.step);
        let decrement = dot(scratch.gradient, scratch.step);
        decrement.is_finite().then_some(decrement)
    }

    /// Takes the longest of the steps 1, ½, ¼, … that lowers the objective
    /// enough (Armijo), and returns the new objective.
    #[inline(always)]
    fn descend(
        &self,
        weights: &mut [f64],
        scratch: &mut Scratch,
        objective: f64,
        decrement: f64,
    ) -> Option<f64> {
        let mut length = 1.0;
        for _ in 0..MOST_HALVINGS {
            scratch.trial.copy_from_slice(weights);
            move_along(scratch.trial, scratch.step, length);
            let trial = std::mem::take(&mut scratch.trial);
            let lower = self.evaluate(trial, scratch);
            scratch.trial = trial;
            if lower <= objective - 1e-4 * length * decrement || decrement < QUADRATIC * objective {
                weights.copy_from_slice(scratch.trial);
                return Some(lower);
            }
            length *= 0.5;
        }
        None
    }

    /// The objective at `weights`; gradient and Hessian go to `scratch`. One
    /// exponential per row, one logarithm per block of rows.
    #[inline(always)]
    fn evaluate(&self, weights: &[f64], scratch: &mut Scratch) -> f64 {
        scratch.gradient.fill(0.0);
        scratch.hessian.fill(0.0);
        let mut objective = 0.0;
        let blocks = self.rows.chunks(ROWS_PER_LOGARITHM * self.columns);
        for (block, labels) in blocks.zip(self.labels.chunks(ROWS_PER_LOGARITHM)) {
            let mut product = 1.0;
            for (row, &label) in block.chunks_exact(self.columns).zip(labels) {
                let sign = if label { 1.0 } else { -1.0 };
                let margin = sign * dot(row, weights);
                let decay = (-margin.abs()).exp();
                let share = 1.0 / (1.0 + decay);
                let wrong = if margin < 0.0 { share } else { decay * share };
                objective += (-margin).max(0.0);
                product *= 1.0 + decay;
                let slope = -sign * wrong;
                let curvature = decay * share * share;
                add_row(scratch.gradient, scratch.hessian, row, slope, curvature);
            }
            objective += product.ln();
        }
        objective + self.add_penalty(weights, scratch)
    }

    #[inline(always)]
    fn add_penalty(&self, weights: &[f64], scratch: &mut Scratch) -> f64 {
        let mut sum = 0.0;
        for (j, weight) in weights.iter().enumerate().skip(1) {
            sum += weight * weight;
            scratch.gradient[j] += 2.0 * self.penalty * weight;
            scratch.hessian[j * self.columns + j] += 2.0 * self.penalty;
        }
        self.penalty * sum
    }
}

/// Adds slope · x to the gradient and curvature · x xᵀ to the Hessian. Separate
/// arguments, not the scratch, so that the compiler knows they do not overlap.
#[inline(always)]
fn add_row(gradient: &mut [f64], hessian: &mut [f64], row: &[f64], slope: f64, curvature: f64) {
    let lines = hessian.chunks_exact_mut(row.len());
    for (((j, &value), total), line) in row.iter().enumerate().zip(gradient).zip(lines) {
        *total += slope * value;
        let scaled = curvature * value;
        for (cell, &other) in line[..=j].iter_mut().zip(row) {
            *cell += scaled * other;
        }
    }
}

#[inline(always)]
fn move_along(weights: &mut [f64], step: &[f64], length: f64) {
    for (weight, step) in weights.iter_mut().zip(step) {
        *weight -= length * step;
    }
}

#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
