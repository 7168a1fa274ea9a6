//! Cholesky factor and solve for the small symmetric systems of the solvers.
//!
//! Matrices are row-major squares of side `size`; only the lower triangle is
//! read or written.

/// Replaces the lower triangle by its Cholesky factor. False, with the matrix
/// spoilt, when it is not positive definite to working precision: a pivot that
/// is only the rounding error of its diagonal entry counts as zero.
#[inline(always)]
pub(crate) fn factor(matrix: &mut [f64], size: usize) -> bool {
    let rounding = 4.0 * size as f64 * f64::EPSILON;
    for row in 0..size {
        let floor = rounding * matrix[row * size + row];
        for column in 0..=row {
            let mut value = matrix[row * size + column];
            for k in 0..column {
                value -= matrix[row * size + k] * matrix[column * size + k];
            }
            if row > column {
                matrix[row * size + column] = value / matrix[column * size + column];
            } else if value > floor && value.is_finite() {
                matrix[row * size + row] = value.sqrt();
            } else {
                return false;
            }
        }
    }
    true
}

/// Solves L Lᵀ x = b in place, given the factor L.
#[inline(always)]
pub(crate) fn solve(factor: &[f64], size: usize, vector: &mut [f64]) {
    for row in 0..size {
        for k in 0..row {
            vector[row] -= factor[row * size + k] * vector[k];
        }
        vector[row] /= factor[row * size + row];
    }
    for row in (0..size).rev() {
        for k in row + 1..size {
            vector[row] -= factor[k * size + row] * vector[k];
        }
        vector[row] /= factor[row * size + row];
    }
}

/// The inverse of L Lᵀ, given the factor L: all columns at once, line by line.
pub(crate) fn inverse(factor: &[f64], size: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; size * size];
    for row in 0..size {
        inverse[row * size + row] = 1.0;
        let (above, below) = inverse.split_at_mut(row * size);
        let line = &mut below[..size];
        for (k, other) in above.chunks_exact(size).enumerate() {
            subtract(line, factor[row * size + k], other);
        }
        divide(line, factor[row * size + row]);
    }
    for row in (0..size).rev() {
        let (above, below) = inverse.split_at_mut((row + 1) * size);
        let line = &mut above[row * size..];
        for (k, other) in (row + 1..size).zip(below.chunks_exact(size)) {
            subtract(line, factor[k * size + row], other);
        }
        divide(line, factor[row * size + row]);
    }
    inverse
}

fn subtract(line: &mut [f64], factor: f64, other: &[f64]) {
    for (cell, value) in line.iter_mut().zip(other) {
        *cell -= factor * value;
    }
}

fn divide(line: &mut [f64], divisor: f64) {
    line.iter_mut().for_each(|cell| *cell /= divisor);
}
