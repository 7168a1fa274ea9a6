//! Causal attention of one text, head by head, a block of queries at a time, so that scores of
//! long texts never stand in memory all at once.

use rayon::prelude::*;

use super::function::exp;
use super::matmul::{Into, Matrix, product};
use super::vectorised;
use crate::config::Config;

/// Queries per block.
const BLOCK: usize = 64;

/// Rows of `fused` hold all heads' queries, keys and values; `out` [head, position, width].
pub(super) fn attend(config: &Config, fused: &[f32], scale: f32, out: &mut [f32]) {
    let head = config.head_width;
    let stride = config.query_width() + 2 * config.kv_width();
    let length = fused.len() / stride;
    let group = config.heads / config.kv_heads;
    out.par_chunks_exact_mut(length * head)
        .enumerate()
        .for_each(|(index, out)| {
            let keys = config.query_width() + index / group * head;
            let parts = Parts {
                queries: &fused[index * head..],
                keys: &fused[keys..],
                values: &fused[keys + config.kv_width()..],
                stride,
                head,
                scale,
            };
            parts.attend(length, out);
        });
}

/// What one head reads: slices that begin at its first row.
struct Parts<'a> {
    queries: &'a [f32],
    keys: &'a [f32],
    values: &'a [f32],
    stride: usize,
    head: usize,
    scale: f32,
}

impl Parts<'_> {
    fn attend(&self, length: usize, out: &mut [f32]) {
        let mut scores = vec![0.0; BLOCK.min(length) * length];
        for first in (0..length).step_by(BLOCK) {
            let rows = BLOCK.min(length - first);
            let seen = first + rows;
            let queries = &self.queries[first * self.stride..];
            let into = Into {
                add: false,
                scale: self.scale,
                parallel: false,
            };
            product(
                &mut scores,
                seen,
                Matrix::with_stride(queries, rows, self.head, self.stride),
                Matrix::with_stride(self.keys, seen, self.head, self.stride).transposed(),
                into,
            );
            softmax_causal(&mut scores[..rows * seen], seen, first);
            product(
                &mut out[first * self.head..seen * self.head],
                self.head,
                Matrix::new(&scores, rows, seen),
                Matrix::with_stride(self.values, seen, self.head, self.stride),
                Into { scale: 1.0, ..into },
            );
        }
    }
}

/// Row i becomes a distribution over the first `first` + i + 1 columns; the rest becomes 0.
fn softmax_causal(scores: &mut [f32], columns: usize, first: usize) {
    vectorised(|| {
        for (index, row) in scores.chunks_exact_mut(columns).enumerate() {
            let (seen, hidden) = row.split_at_mut(first + index + 1);
            hidden.fill(0.0);
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
    });
}
