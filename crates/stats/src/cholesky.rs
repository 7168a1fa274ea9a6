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
