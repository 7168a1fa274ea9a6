//! A dense array of f32, row by row.

use rayon::prelude::*;

use crate::{Error, Result};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) data: Vec<f32>,
}

const CHUNK: usize = 1 << 16;
const SQUARE: usize = 32;

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

    /// Refuse another shape than the one asked for.
    pub(crate) fn shaped(self, name: &str, shape: &[usize]) -> Result<Self> {
        if self.shape != shape {
            return Err(Error::mismatch(format!(
                "tensor {name:?} has shape {:?} but the model's description asks for {shape:?}",
                self.shape
            ))
            .hint("description and weights do not belong together: download both again"));
        }
        if self.data.len() != shape.iter().product::<usize>() {
            return Err(Error::malformed(format!(
                "tensor {name:?} is not laid out as its shape {shape:?} says"
            ))
            .hint("the file is damaged: download it again"));
        }
        Ok(self)
    }

    /// Square by square, so that neither side leaves the cache.
    pub(crate) fn transposed(&self) -> Self {
        let (rows, columns) = (self.rows(), self.columns());
        let mut data = vec![0.0; self.data.len()];
        data.par_chunks_mut((SQUARE * rows).max(1))
            .enumerate()
            .for_each(|(band, out)| {
                let first = band * SQUARE;
                for begin in (0..rows).step_by(SQUARE) {
                    for (column, out) in out.chunks_exact_mut(rows).enumerate() {
                        let end = rows.min(begin + SQUARE);
                        for (row, value) in (begin..end).zip(&mut out[begin..end]) {
                            *value = self.data[row * columns + first + column];
                        }
                    }
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

    /// The same columns in another order.
    pub(crate) fn with_columns(&self, order: &[usize]) -> Self {
        let rows = self.data.chunks_exact(self.columns().max(1));
        Self {
            shape: self.shape.clone(),
            data: rows
                .flat_map(|row| order.iter().map(|&column| row[column]))
                .collect(),
        }
    }

    /// Matrices with equally many rows, as one.
    pub(crate) fn beside(arrays: &[Self]) -> Self {
        let rows = arrays.first().map_or(0, Self::rows);
        let mut data = Vec::with_capacity(arrays.iter().map(|array| array.data.len()).sum());
        for row in 0..rows {
            for array in arrays {
                data.extend_from_slice(array.row(row));
            }
        }
        Self {
            shape: vec![rows, arrays.iter().map(Self::columns).sum()],
            data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_changes_nothing() {
        for (rows, columns) in [(1, 1), (3, 100), (65, 33), (64, 32)] {
            let array = Array {
                shape: vec![rows, columns],
                data: (0..rows * columns).map(|i| i as f32).collect(),
            };
            let turned = array.transposed();
            assert_eq!(turned.shape, [columns, rows]);
            assert_eq!(turned.row(columns - 1)[0], array.row(0)[columns - 1]);
            assert_eq!(turned.transposed(), array);
        }
    }
}
