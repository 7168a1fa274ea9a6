//! Elementary functions as plain arithmetic, which the compiler turns into vectors.

use std::f32::consts::LOG2_E;

/// e^x within 2 units in the last place; 0 below -87.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    // Adding and subtracting it rounds to a whole number.
    const ROUND: f32 = 12_582_912.0;
    const LN2_HIGH: f32 = 0.693_359_4;
    const LN2_LOW: f32 = -2.121_944_4e-4;
    let kept = x.clamp(-87.0, 88.0);
    let shifted = kept * LOG2_E + ROUND;
    let whole = shifted - ROUND;
    let r = kept - whole * LN2_HIGH - whole * LN2_LOW;
    let tail = ((((1.987_569_1e-4 * r + 1.398_199_9e-3) * r + 8.333_452e-3) * r + 4.166_579_6e-2)
        * r
        + 1.666_666_5e-1)
        * r
        + 5e-1;
    let part = tail * r * r + r + 1.0;
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000));
    if x < -87.0 { 0.0 } else { part * power }
}

/// The error function within 2e-7 (Abramowitz and Stegun 7.1.26).
#[inline(always)]
pub(super) fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let sum = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_7) * t - 0.284_496_74) * t
        + 0.254_829_6)
        * t;
    (1.0 - sum * exp(-size * size)).copysign(x)
}

#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_as_good_as_f32_allows() {
        for step in -87_000..=88_000 {
            let x = step as f32 / 1000.0;
            let truth = f64::from(x).exp();
            let error = (f64::from(exp(x)) - truth).abs() / truth;
            assert!(error < 2.5e-7, "exp({x}): relative error {error}");
        }
        assert_eq!(exp(-200.0), 0.0);
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn erf_agrees_with_known_values() {
        let known = [
            (0.0, 0.0),
            (0.5, 0.520_499_9),
            (1.0, 0.842_700_8),
            (2.0, 0.995_322_3),
        ];
        for (x, truth) in known {
            assert!((erf(x) - truth).abs() < 5e-7);
            assert!((erf(-x) + truth).abs() < 5e-7);
        }
    }
}
