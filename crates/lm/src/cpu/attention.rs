//! Attention of one text, head by head, a block of queries at a time, so that scores of long texts
//! never stand in memory all at once.

use rayon::prelude::*;

use super::attention_of_one::attend_one;
use super::function::exp;
use super::matmul::{Into, Matrix, product};
use super::vectorised;
use crate::config::Config;

/// Queries per block.
const BLOCK: usize = 64;

/// Rows that hold all heads side by side, and begin `stride` apart.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) data: &'a [f32],
    pub(crate) stride: usize,
}

impl<'a> Rows<'a> {
    /// The first head of the first rows.
    fn matrix(self, rows: usize, head: usize) -> Matrix<'a> {
        Matrix::with_stride(self.data, rows, head, self.stride)
    }
}

/// What a position sees.
#[derive(Clone, Copy)]
pub(crate) enum Sight {
    /// Itself and all before it. The first query stands behind so many keys that have none.
    Back { past: usize },
    /// The whole text.
    All,
}

#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) heads: usize,
    /// Neighbouring heads share keys and values.
    pub(crate) kv_heads: usize,
    pub(crate) width: usize,
    pub(crate) scale: f32,
}

impl Shape {
    pub(super) fn new(config: &Config, layer: usize) -> Self {
        Self {
            heads: config.heads,
            kv_heads: config.kv_heads,
            width: config.head_width,
            scale: config.attention_scale(layer),
        }
    }
}

pub(crate) struct Attention<'a> {
    pub(crate) shape: Shape,
    pub(crate) queries: Rows<'a>,
    pub(crate) keys: Rows<'a>,
    pub(crate) values: Rows<'a>,
    pub(crate) sight: Sight,
}

impl<'a> Attention<'a> {
    /// Over rows that hold queries, then keys, then values of all heads.
    pub(crate) fn fused(shape: Shape, fused: &'a [f32], sight: Sight) -> Self {
        let (queries, keys) = (shape.heads * shape.width, shape.kv_heads * shape.width);
        let stride = queries + 2 * keys;
        let rows = |begin: usize| Rows {
            data: fused.get(begin..).unwrap_or_default(),
            stride,
        };
        Self {
            shape,
            queries: rows(0),
            keys: rows(queries),
            values: rows(queries + keys),
            sight,
        }
    }

    /// `out` is [head, position, width].
    pub(crate) fn attend(&self, out: &mut [f32]) {
        let Shape { heads, width, .. } = self.shape;
        let length = out.len() / (heads * width);
        if length == 0 {
            return;
        }
        let group = heads / self.shape.kv_heads;
        out.par_chunks_exact_mut(length * width)
            .enumerate()
            .for_each(|(head, out)| {
                let from = |rows: Rows<'a>, head: usize| Rows {
                    data: &rows.data[head * width..],
                    ..rows
                };
                let parts = Parts {
                    queries: from(self.queries, head),
                    keys: from(self.keys, head / group),
                    values: from(self.values, head / group),
                    head: width,
                    scale: self.shape.scale,
                    sight: self.sight,
                };
                parts.attend(length, out);
            });
    }
}

/// From [head, position, width] to rows that hold all heads side by side.
pub(crate) fn side_by_side(heads: &[f32], width: usize, out: &mut [f32], stride: usize) {
    let length = out.len() / stride;
    for (index, rows) in heads.chunks_exact(length * width).enumerate() {
        for (row, out) in rows.chunks_exact(width).zip(out.chunks_exact_mut(stride)) {
            out[index * width..(index + 1) * width].copy_from_slice(row);
        }
    }
}

/// What one head reads: slices that begin at its first row.
pub(super) struct Parts<'a> {
    pub(super) queries: Rows<'a>,
    pub(super) keys: Rows<'a>,
    pub(super) values: Rows<'a>,
    pub(super) head: usize,
    pub(super) scale: f32,
    sight: Sight,
}

impl Parts<'_> {
    fn attend(&self, length: usize, out: &mut [f32]) {
        match self.sight {
            Sight::Back { past } if length == 1 => attend_one(self, past + 1, out),
            Sight::Back { past } => {
                for first in (0..length).step_by(BLOCK) {
                    let rows = BLOCK.min(length - first);
                    self.block(first, rows, past + first + rows, out);
                }
            }
            Sight::All => {
                for first in (0..length).step_by(BLOCK) {
                    self.block(first, BLOCK.min(length - first), length, out);
                }
            }
        }
    }

    /// Some queries, which see `seen` keys at most.
    fn block(&self, first: usize, rows: usize, seen: usize, out: &mut [f32]) {
        let mut scores = vec![0.0; rows * seen];
        let queries = Rows {
            data: &self.queries.data[first * self.queries.stride..],
            ..self.queries
        };
        let into = Into {
            add: false,
            scale: self.scale,
            parallel: false,
        };
        let keys = self.keys.matrix(seen, self.head).transposed();
        product(
            &mut scores,
            seen,
            queries.matrix(rows, self.head),
            keys,
            into,
        );
        let visible = |row: usize| match self.sight {
            Sight::Back { .. } => seen - rows + row + 1,
            Sight::All => seen,
        };
        softmax(&mut scores, seen, visible);
        product(
            &mut out[first * self.head..(first + rows) * self.head],
            self.head,
            Matrix::new(&scores, rows, seen),
            self.values.matrix(seen, self.head),
            Into { scale: 1.0, ..into },
        );
    }
}

/// Each row becomes a distribution over its first, visible columns; the rest becomes 0.
fn softmax(scores: &mut [f32], columns: usize, visible: impl Fn(usize) -> usize) {
    vectorised(|| {
        for (index, row) in scores.chunks_exact_mut(columns).enumerate() {
            let (seen, hidden) = row.split_at_mut(visible(index));
            hidden.fill(0.0);
            softmax_row(seen);
        }
    });
}

#[inline(always)]
pub(super) fn softmax_row(seen: &mut [f32]) {
    let largest = seen
        .iter()
        .fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a });
    for value in seen.iter_mut() {
        *value = exp(*value - largest);
    }
    let mut lanes = [0.0f32; 16];
    let (chunks, rest) = seen.as_chunks::<16>();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    let total = lanes.iter().sum::<f32>() + rest.iter().sum::<f32>();
    let scale = 1.0 / total;
    for value in seen {
        *value *= scale;
    }
}
