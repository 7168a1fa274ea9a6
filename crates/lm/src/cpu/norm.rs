//! Layer and root-mean-square normalisation of rows.

use super::vectorised;
use crate::config::NormKind;
use crate::decoder::Norm;

/// Sums in as many running parts, so that the compiler can use vectors.
const LANES: usize = 16;

impl Norm {
    pub(crate) fn apply(&self, out: &mut [f32], input: &[f32], kind: NormKind, epsilon: f32) {
        let width = self.weight.len();
        vectorised(
            #[inline(always)]
            || {
                for (out, input) in out.chunks_exact_mut(width).zip(input.chunks_exact(width)) {
                    match kind {
                        NormKind::RootMeanSquare => self.root_mean_square(out, input, epsilon),
                        NormKind::Layer => self.layer(out, input, epsilon),
                    }
                }
            },
        );
    }

    /// Root-mean-square normalisation of rows as wide as the weights.
    pub(super) fn apply_in_place(&self, rows: &mut [f32], epsilon: f32) {
        vectorised(
            #[inline(always)]
            || {
                for row in rows.chunks_exact_mut(self.weight.len()) {
                    let scale = root_mean_square_scale(row, epsilon);
                    for (x, weight) in row.iter_mut().zip(&self.weight) {
                        *x *= scale * weight;
                    }
                }
            },
        );
    }

    #[inline(always)]
    fn root_mean_square(&self, out: &mut [f32], input: &[f32], epsilon: f32) {
        let scale = root_mean_square_scale(input, epsilon);
        for ((out, x), weight) in out.iter_mut().zip(input).zip(&self.weight) {
            *out = x * scale * weight;
        }
    }

    #[inline(always)]
    fn layer(&self, out: &mut [f32], input: &[f32], epsilon: f32) {
        let count = input.len() as f32;
        let mean = sum(input, |x| x) / count;
        let variance = sum(input, |x| (x - mean) * (x - mean)) / count;
        let scale = 1.0 / (variance + epsilon).sqrt();
        for ((out, x), weight) in out.iter_mut().zip(input).zip(&self.weight) {
            *out = (x - mean) * scale * weight;
        }
        if let Some(bias) = &self.bias {
            for (out, bias) in out.iter_mut().zip(bias) {
                *out += bias;
            }
        }
    }
}

#[inline(always)]
fn root_mean_square_scale(row: &[f32], epsilon: f32) -> f32 {
    let mean = sum(row, |x| x * x) / row.len() as f32;
    1.0 / (mean + epsilon).sqrt()
}

#[inline(always)]
fn sum(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0f32; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += term(value);
        }
    }
    for (lane, &value) in lanes.iter_mut().zip(rest) {
        *lane += term(value);
    }
    lanes.iter().sum()
}
