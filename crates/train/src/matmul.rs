//! Matrix products: a safe face for `gemm`, on the calling thread only.

use gemm::Parallelism;

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
    /// `data` begins with a row-major [rows, columns] matrix.
    pub(crate) fn new(data: &'a [f32], rows: usize, columns: usize) -> Self {
        assert!(data.len() >= rows * columns, "matrix larger than its data");
        Self {
            data,
            rows,
            columns,
            row_stride: columns,
            column_stride: 1,
        }
    }

    /// A run of columns.
    pub(crate) fn columns(self, first: usize, count: usize) -> Self {
        assert!(
            self.column_stride == 1 && first + count <= self.columns,
            "columns outside matrix"
        );
        Self {
            data: self.data.get(first..).unwrap_or_default(),
            columns: count,
            ..self
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

/// out ← left · right.
pub(crate) fn multiply(out: &mut [f32], left: Matrix, right: Matrix) {
    product(out, left, right, false);
}

/// out ← out + left · right.
pub(crate) fn accumulate(out: &mut [f32], left: Matrix, right: Matrix) {
    product(out, left, right, true);
}

fn product(out: &mut [f32], left: Matrix, right: Matrix, add: bool) {
    let (rows, columns, depth) = (left.rows, right.columns, left.columns);
    assert_eq!(depth, right.rows, "inner sizes differ");
    assert!(out.len() >= rows * columns, "product larger than its place");
    // Safety: `new` and `columns` keep every element of `left` and `right` inside its slice, the
    // assertion above does the same for `out`, and `out` is borrowed for this call alone.
    unsafe {
        gemm::gemm(
            rows,
            columns,
            depth,
            out.as_mut_ptr(),
            1,
            columns as isize,
            add,
            left.data.as_ptr(),
            left.column_stride as isize,
            left.row_stride as isize,
            right.data.as_ptr(),
            right.column_stride as isize,
            right.row_stride as isize,
            1.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_agree_with_the_definition() {
        let left: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let right: Vec<f32> = (0..20).map(|i| (i as f32).sin()).collect();
        let mut out = vec![1.0; 9];
        // [4, 3] seen from its side, times columns 1..4 of [4, 5].
        let tall = Matrix::new(&left, 4, 3).transposed();
        accumulate(&mut out, tall, Matrix::new(&right, 4, 5).columns(1, 3));
        for (index, value) in out.iter().enumerate() {
            let (row, column) = (index / 3, index % 3);
            let sum: f32 = (0..4)
                .map(|k| left[k * 3 + row] * right[k * 5 + 1 + column])
                .sum();
            assert!((value - 1.0 - sum).abs() < 1e-5);
        }
    }
}
