//! Loops over whole buffers, compiled for the widest vectors the processor has.
//!
//! Only the width differs between processors: products and sums are not fused here, so the bits do
//! not differ.

use pulp::Arch;

/// Run a loop with the processor's vectors.
#[inline(always)]
pub(crate) fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    Arch::new().dispatch(work)
}

/// Each row plus the same vector.
pub(crate) fn add_to_rows(matrix: &mut [f32], row: &[f32]) {
    vectorised(|| {
        for line in matrix.chunks_exact_mut(row.len()) {
            for (value, added) in line.iter_mut().zip(row) {
                *value += added;
            }
        }
    });
}

/// Sum of the rows, added to `total`.
pub(crate) fn add_row_sums(total: &mut [f32], matrix: &[f32]) {
    vectorised(|| {
        for line in matrix.chunks_exact(total.len()) {
            for (sum, value) in total.iter_mut().zip(line) {
                *sum += value;
            }
        }
    });
}

/// target ← target · factor, value by value.
pub(crate) fn multiply(target: &mut [f32], factor: &[f32]) {
    vectorised(|| {
        for (value, by) in target.iter_mut().zip(factor) {
            *value *= by;
        }
    });
}

pub(crate) fn scale(target: &mut [f32], factor: f32) {
    vectorised(|| {
        for value in target {
            *value *= factor;
        }
    });
}

/// Sum of squares in f64: eight running sums, joined in a fixed order.
pub(crate) fn sum_of_squares(values: &[f32]) -> f64 {
    vectorised(|| {
        let mut lanes = [0.0f64; 8];
        let chunks = values.chunks_exact(8);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (lane, &value) in lanes.iter_mut().zip(chunk) {
                *lane += f64::from(value) * f64::from(value);
            }
        }
        for (lane, &value) in lanes.iter_mut().zip(rest) {
            *lane += f64::from(value) * f64::from(value);
        }
        lanes.iter().sum()
    })
}
