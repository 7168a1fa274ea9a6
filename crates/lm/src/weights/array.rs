//! A dense array of f32, row by row.

use rayon::prelude::*;

use crate::error::{Error, Result};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<f32>,
}

const CHUNK: usize = 1 << 16;

impl Array {
    pub(crate) fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    pub(crate) fn columns(&self) -> usize {
        self.shape.get(1).copied().unwrap_or(1)
    }

    pub(crate) fn row(&self, index: usize) -> &[f32] {
        let columns = self.columns();
        self.data
            .get(index * columns..(index + 1) * columns)
            .unwrap_or_default()
    }

    /// Refuse what would turn every score into nonsense.
    pub(crate) fn finite(self, name: &str) -> Result<Self> {
        let sound = |chunk: &[f32]| chunk.iter().fold(true, |sound, x| sound & x.is_finite());
        if self.data.par_chunks(CHUNK).all(sound) {
            return Ok(self);
        }
        let place = self.data.iter().position(|value| !value.is_finite());
        let place = place.unwrap_or(0);
        Err(Error::malformed(format!(
            "tensor {name:?} holds {} at position {place}",
            self.data.get(place).copied().unwrap_or(f32::NAN)
        ))
        .hint("the weights are damaged or training diverged; use an earlier checkpoint"))
    }

    pub(crate) fn transposed(&self) -> Self {
        let (rows, columns) = (self.rows(), self.columns());
        let mut data = vec![0.0; self.data.len()];
        data.par_chunks_mut(rows.max(1))
            .enumerate()
            .for_each(|(column, out)| {
                for (row, value) in out.iter_mut().enumerate() {
                    *value = self.data[row * columns + column];
                }
            });
        Self {
            shape: vec![columns, rows],
            data,
        }
    }

    /// The same rows in another order.
    pub(crate) fn with_rows(&self, order: impl Iterator<Item = usize>) -> Self {
        let mut data = Vec::with_capacity(self.data.len());
        for row in order {
            data.extend_from_slice(self.row(row));
        }
        Self {
            shape: self.shape.clone(),
            data,
        }
    }

    /// Rows of several arrays below each other.
    pub(crate) fn stacked(arrays: Vec<Self>) -> Self {
        let mut shape = vec![arrays.iter().map(Self::rows).sum()];
        let mut data = Vec::with_capacity(arrays.iter().map(|array| array.data.len()).sum());
        for array in &arrays {
            data.extend_from_slice(&array.data);
        }
        shape.extend(arrays.first().and_then(|array| array.shape.get(1)));
        Self { shape, data }
    }
}
