//! Soft caps: values x become c tanh(x / c), so that none is beyond c.

use super::function::sigmoid;
use super::vectorised;

/// In place.
pub(super) fn soften(values: &mut [f32], cap: f32) {
    let inner = 2.0 / cap;
    vectorised(
        #[inline(always)]
        || {
            for value in values {
                // tanh u is 2 s(2u) - 1 of the logistic function s.
                *value = cap * (2.0 * sigmoid(inner * *value) - 1.0);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_hyperbolic_tangent() {
        for cap in [1.0f32, 30.0, 50.0] {
            let before: Vec<f32> = (-4000..=4000).map(|step| step as f32 / 20.0).collect();
            let mut after = before.clone();
            soften(&mut after, cap);
            for (before, after) in before.iter().zip(after) {
                let truth = f64::from(cap) * (f64::from(*before) / f64::from(cap)).tanh();
                assert!((f64::from(after) - truth).abs() < 3e-7 * f64::from(cap));
            }
        }
    }
}
