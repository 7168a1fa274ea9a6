//! Attention of one text, head by head, a block of queries at a time, so that scores of long texts
//! never stand in memory all at once.

use std::ops::Range;

use rayon::prelude::*;

use super::attention_of_one::attend_one;
use super::function::exp;
use super::matmul::{Into, Matrix, product};
use super::soften::soften;
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
    /// Without the rows before this one.
    pub(super) fn from(self, row: usize) -> Self {
        Self {
            data: &self.data[row * self.stride..],
            ..self
        }
    }

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
    /// Scores x become c tanh(x / c) of this c.
    pub(crate) cap: Option<f32>,
    /// The last positions that are seen, the query's own among them.
    pub(crate) window: Option<usize>,
}

impl Shape {
    pub(super) fn new(config: &Config, layer: usize) -> Self {
        Self {
            heads: config.heads,
            kv_heads: config.kv_heads,
            width: config.head_width,
            scale: config.attention_scale(layer),
            cap: config.score_cap,
            window: config.window(layer),
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
                    shape: self.shape,
                    sight: self.sight,
                };
                parts.attend(length, out);
            });
    }
}

/// From [head, position, width] to rows that hold all heads side by side.
pub(crate) fn side_by_side(heads: &[f32], width: usize, out: &mut [f32], stride: usize) {
    let length = out.len() / stride;
    for (index, rows) in heads.chunks_exact((length * width).max(1)).enumerate() {
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
    pub(super) shape: Shape,
    sight: Sight,
}

impl Parts<'_> {
    fn attend(&self, length: usize, out: &mut [f32]) {
        match self.sight {
            Sight::Back { past } if length == 1 => attend_one(self, past + 1, out),
            Sight::Back { past } => {
                for first in (0..length).step_by(BLOCK) {
                    let rows = BLOCK.min(length - first);
                    let begin = self.first_seen(past + first);
                    self.block(first, rows, begin..past + first + rows, out);
                }
            }
            Sight::All => {
                for first in (0..length).step_by(BLOCK) {
                    self.block(first, BLOCK.min(length - first), 0..length, out);
                }
            }
        }
    }

    /// The first key that a query at this position sees.
    pub(super) fn first_seen(&self, position: usize) -> usize {
        let window = self.shape.window;
        window.map_or(0, |window| (position + 1).saturating_sub(window))
    }

    /// Some queries, which see no other keys than these.
    fn block(&self, first: usize, rows: usize, seen: Range<usize>, out: &mut [f32]) {
        let (begin, count, head) = (seen.start, seen.len(), self.shape.width);
        let mut scores = vec![0.0; rows * count];
        let into = Into {
            add: false,
            scale: self.shape.scale,
            parallel: false,
        };
        let keys = self.keys.from(begin).matrix(count, head).transposed();
        let queries = self.queries.from(first).matrix(rows, head);
        product(&mut scores, count, queries, keys, into);
        if let Some(cap) = self.shape.cap {
            soften(&mut scores, cap);
        }
        let visible = |row: usize| match self.sight {
            Sight::Back { .. } => {
                let end = count - rows + row + 1;
                self.first_seen(begin + end - 1) - begin..end
            }
            Sight::All => 0..count,
        };
        softmax(&mut scores, count, visible);
        product(
            &mut out[first * head..(first + rows) * head],
            head,
            Matrix::new(&scores, rows, count),
            self.values.from(begin).matrix(count, head),
            Into { scale: 1.0, ..into },
        );
    }
}

/// Each row becomes a distribution over its visible columns; the rest becomes 0.
fn softmax(scores: &mut [f32], columns: usize, visible: impl Fn(usize) -> Range<usize>) {
    vectorised(
        #[inline(always)]
        || {
            for (index, row) in scores.chunks_exact_mut(columns).enumerate() {
                let visible = visible(index);
                row[visible.end..].fill(0.0);
                row[..visible.start].fill(0.0);
                softmax_row(&mut row[visible]);
            }
        },
    );
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
