//! Hidden units: their value and their slope, a layer at a time.

use crate::elementwise::vectorised;
use crate::function::{normal_cdf_and_pdf, tanh};
use crate::network::Activation;

impl Activation {
    /// Values and slopes of a layer. On entry `slopes` holds the layer's weighted sums without
    /// bias; on return their derivatives, which is all that the backward pass asks for.
    pub(crate) fn apply(self, bias: &[f32], slopes: &mut [f32], values: &mut [f32]) {
        match self {
            Self::Relu => each(bias, slopes, values, |x| (x.max(0.0), f32::from(x > 0.0))),
            Self::Tanh => each(bias, slopes, values, |x| {
                let value = tanh(f64::from(x));
                (value as f32, (1.0 - value * value) as f32)
            }),
            Self::Gelu => each(bias, slopes, values, |x| {
                let x = f64::from(x);
                let (cdf, pdf) = normal_cdf_and_pdf(x);
                ((x * cdf) as f32, (cdf + x * pdf) as f32)
            }),
        }
    }
}

#[inline(always)]
fn each(bias: &[f32], slopes: &mut [f32], values: &mut [f32], unit: impl Fn(f32) -> (f32, f32)) {
    let width = bias.len();
    vectorised(|| {
        let rows = slopes
            .chunks_exact_mut(width)
            .zip(values.chunks_exact_mut(width));
        for (slopes, values) in rows {
            for ((slope, value), bias) in slopes.iter_mut().zip(values).zip(bias) {
                (*value, *slope) = unit(*slope + bias);
            }
        }
    });
}
