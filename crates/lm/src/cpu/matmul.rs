//! Matrix products: a safe face for `gemm`.

use gemm::Parallelism;

use super::vector::add_product;
use crate::decoder::Linear;

/// A matrix laid over a slice, row by row, or such a matrix seen from its side.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a> Matrix<'a> {
    pub(crate) fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        Self::with_stride(data, rows, columns, columns)
    }

    /// Rows begin `stride` apart.
    pub(crate) fn with_stride(data: &'a [f32], rows: usize, columns: usize, stride: usize) -> Self {
        let needed = rows.saturating_sub(1) * stride + columns;
        assert!(
            rows == 0 || data.len() >= needed,
            "matrix larger than its data"
        );
        Self {
            data,
            rows,
            columns,
            row_stride: stride,
            column_stride: 1,
        }
    }

    pub(crate) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }
}

/// How a product is added to what stands in its place.
#[derive(Clone, Copy)]
pub(super) struct Into {
    pub(super) add: bool,
    pub(super) scale: f32,
    pub(super) parallel: bool,
}

/// out ← [out +] scale · left · right, for an `out` whose rows begin `stride` apart.
pub(super) fn product(out: &mut [f32], stride: usize, left: Matrix, right: Matrix, into: Into) {
    let (rows, columns, depth) = (left.rows, right.columns, left.columns);
    assert_eq!(depth, right.rows, "inner sizes differ");
    let needed = rows.saturating_sub(1) * stride + columns;
    assert!(
        rows == 0 || out.len() >= needed,
        "product larger than its place"
    );
    // Safety: `with_stride` keeps every element of `left` and `right` inside its slice, the
    // assertion above does the same for `out`, and `out` is borrowed for this call alone.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            depth,
            out.as_mut_ptr(),
            1,
            stride as isize,
            into.add,
            left.data.as_ptr(),
            left.column_stride as isize,
            left.row_stride as isize,
            right.data.as_ptr(),
            right.column_stride as isize,
            right.row_stride as isize,
            1.0,
            into.scale,
            false,
            false,
            false,
            if into.parallel {
                Parallelism::Rayon(0)
            } else {
                Parallelism::None
            },
        );
    }
}

/// out ← out + scale · left · right, on all threads.
pub(crate) fn accumulate_scaled(out: &mut [f32], left: Matrix, right: Matrix, scale: f32) {
    let into = Into {
        add: true,
        scale,
        parallel: true,
    };
    product(out, right.columns, left, right, into);
}

impl Linear {
    pub(crate) fn out_width(&self) -> usize {
        self.weight.columns()
    }

    /// out ← input · weight + bias; rows of `input` are this map's inputs.
    pub(crate) fn apply(&self, out: &mut [f32], input: &[f32], add: bool, parallel: bool) {
        let (depth, width) = (self.weight.rows(), self.weight.columns());
        let rows = input.len() / depth;
        let add = self.lay_bias(out, add);
        if rows == 1 {
            if !add {
                out.fill(0.0);
            }
            return add_product(out, input, &self.weight.data, parallel);
        }
        product(
            out,
            width,
            Matrix::new(input, rows, depth),
            Matrix::new(&self.weight.data, depth, width),
            Into {
                add,
                scale: 1.0,
                parallel,
            },
        );
    }

    /// Put or add the bias; whether the product must then be added.
    fn lay_bias(&self, out: &mut [f32], add: bool) -> bool {
        let Some(bias) = &self.bias else {
            return add;
        };
        super::vectorised(|| {
            for row in out.chunks_exact_mut(bias.len()) {
                if add {
                    for (value, bias) in row.iter_mut().zip(bias) {
                        *value += bias;
                    }
                } else {
                    row.copy_from_slice(bias);
                }
            }
        });
        true
    }
}
