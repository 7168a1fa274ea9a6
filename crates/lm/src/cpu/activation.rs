//! The feed-forward layer's bend, value by value.

use std::f32::consts::FRAC_1_SQRT_2;

use super::function::{erf, exp, sigmoid};
use super::vectorised;
use crate::config::Activation;

impl Activation {
    /// In place.
    pub(crate) fn apply(self, values: &mut [f32]) {
        match self {
            Self::Gelu => each(values, gelu),
            Self::GeluTanh => each(values, gelu_tanh),
            Self::Relu => each(values, |x| x.max(0.0)),
            Self::Silu => each(values, silu),
        }
    }

    /// Rows hold gates, then what they let through; the products are packed into `out`.
    pub(super) fn apply_gated(self, out: &mut [f32], rows: &[f32], width: usize) {
        match self {
            Self::Gelu => gate(out, rows, width, gelu),
            Self::GeluTanh => gate(out, rows, width, gelu_tanh),
            Self::Relu => gate(out, rows, width, |x| x.max(0.0)),
            Self::Silu => gate(out, rows, width, silu),
        }
    }
}

#[inline(always)]
fn each(values: &mut [f32], bend: impl Fn(f32) -> f32) {
    vectorised(|| {
        for value in values {
            *value = bend(*value);
        }
    });
}

#[inline(always)]
fn gate(out: &mut [f32], rows: &[f32], width: usize, bend: impl Fn(f32) -> f32) {
    vectorised(|| {
        for (out, row) in out
            .chunks_exact_mut(width)
            .zip(rows.chunks_exact(2 * width))
        {
            let (gates, values) = row.split_at(width);
            for ((out, gate), value) in out.iter_mut().zip(gates).zip(values) {
                *out = bend(*gate) * value;
            }
        }
    });
}

#[inline(always)]
fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

#[inline(always)]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x * FRAC_1_SQRT_2))
}

/// (1 + tanh u) / 2 is the logistic function of 2u.
#[inline(always)]
fn gelu_tanh(x: f32) -> f32 {
    x * sigmoid(2.0 * 0.797_884_6 * (x + 0.044_715 * x * x * x))
}
