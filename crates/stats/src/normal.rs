//! The normal distribution, in tails as deep as a double can name.
//!
//! Everything rests on the scaled complementary error function: it changes
//! slowly, so that the rounding of its argument costs nothing, and the large
//! part exp(−x²/2) is applied (or, in logs, added) separately.

use crate::special::HALF_LN_TWO_PI;
use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI};

/// √(2/π).
const SQRT_TWO_OVER_PI: f64 = 0.797_884_560_802_865_4;

/// exp(x²) erfc(x), DLMF 7.2.3 scaled; infinite below about −26.6.
pub fn erfcx(x: f64) -> f64 {
    if x < 12.0 {
        exp_of_square(x, 1.0) * libm::erfc(x)
    } else {
        erfcx_asymptotic(x)
    }
}

/// DLMF 7.12.1: 1/(x√π) · Σ (−1)ᵏ (2k−1)!! / (2x²)ᵏ, for x ≥ 12.
fn erfcx_asymptotic(x: f64) -> f64 {
    let ratio = 0.5 / (x * x);
    let sum = (0..10)
        .rev()
        .fold(1.0, |sum, k| 1.0 - f64::from(2 * k + 1) * ratio * sum);
    sum / (x * PI.sqrt())
}

/// exp(scale · x²) without the rounding error of x²: the leading half of x has
/// an exact square, the rest goes into a second factor.
fn exp_of_square(x: f64, scale: f64) -> f64 {
    let lead = f64::from_bits(x.to_bits() & 0xffff_ffff_f800_0000);
    let rest = (x - lead) * (x + lead);
    (scale * lead * lead).exp() * (scale * rest).exp()
}

/// Φ(x).
pub fn normal_cdf(x: f64) -> f64 {
    normal_sf(-x)
}

/// 1 − Φ(x), with full relative accuracy in the upper tail.
pub fn normal_sf(x: f64) -> f64 {
    if x < 1.0 {
        0.5 * libm::erfc(x * FRAC_1_SQRT_2)
    } else if x > 40.0 {
        0.0
    } else {
        0.5 * erfcx(x * FRAC_1_SQRT_2) * exp_of_square(x, -0.5)
    }
}

/// ln Φ(x), finite for every x above −1e154.
pub fn ln_normal_cdf(x: f64) -> f64 {
    if x >= 0.0 {
        (-normal_sf(x)).ln_1p()
    } else if x > -1.0 {
        normal_cdf(x).ln()
    } else {
        (0.5 * erfcx(-x * FRAC_1_SQRT_2)).ln() - 0.5 * x * x
    }
}

/// ln of the normal density. NaN unless the variance is positive.
pub fn ln_normal_pdf(x: f64, mean: f64, variance: f64) -> f64 {
    let deviation = x - mean;
    -HALF_LN_TWO_PI - 0.5 * (variance.ln() + deviation * (deviation / variance))
}

/// Φ⁻¹(p): infinite at 0 and 1, NaN outside [0, 1].
pub fn normal_quantile(p: f64) -> f64 {
    if p > 0.5 {
        // Exact: 1 − p loses nothing for p in [½, 1].
        -normal_quantile(1.0 - p)
    } else if p > 0.3 {
        central_quantile(p)
    } else {
        tail_quantile(p.ln())
    }
}

/// Φ⁻¹(exp(ln_p)), for probabilities too small to be written as a double.
/// NaN for positive `ln_p`.
pub fn normal_quantile_of_ln(ln_p: f64) -> f64 {
    if ln_p > -LN_2 {
        -tail_quantile((-ln_p.exp_m1()).ln())
    } else {
        tail_quantile(ln_p)
    }
}

/// Halley's method on Φ(x) − ½ = p − ½, which keeps relative accuracy at the
/// median; two steps take the first guess to full precision.
fn central_quantile(p: f64) -> f64 {
    let offset = p - 0.5;
    (0..2).fold(first_guess(p.ln()), |x, _| {
        let excess = 0.5 * libm::erf(x * FRAC_1_SQRT_2) - offset;
        let density = (-HALF_LN_TWO_PI - 0.5 * x * x).exp();
        x - 2.0 * excess / (2.0 * density + excess * x)
    })
}

/// Halley's method on ln Φ(x) = ln p, p ≤ ½. With h = φ/Φ the derivatives of
/// ln Φ are h and −h(x + h).
fn tail_quantile(ln_p: f64) -> f64 {
    if ln_p.is_infinite() || ln_p.is_nan() {
        return ln_p;
    }
    (0..3).fold(first_guess(ln_p), |x, _| {
        let (ln_cdf, erfcx) = ln_cdf_and_erfcx(x);
        let excess = ln_cdf - ln_p;
        let hazard = SQRT_TWO_OVER_PI / erfcx;
        x - 2.0 * excess / (2.0 * hazard + excess * (x + hazard))
    })
}

/// ln Φ(x) and exp(x²/2) erfc(−x/√2), with one error function for both where x < 0, as in tails it is.
fn ln_cdf_and_erfcx(x: f64) -> (f64, f64) {
    let deviation = -x * FRAC_1_SQRT_2;
    if x >= 0.0 {
        (ln_normal_cdf(x), erfcx(deviation))
    } else if x > -1.0 {
        let erfc = libm::erfc(deviation);
        ((0.5 * erfc).ln(), exp_of_square(deviation, 1.0) * erfc)
    } else {
        let erfcx = erfcx(deviation);
        ((0.5 * erfcx).ln() - 0.5 * x * x, erfcx)
    }
}

/// Abramowitz and Stegun 26.2.23, for p ≤ ½: absolute error below 4.5e-4.
fn first_guess(ln_p: f64) -> f64 {
    let t = (-2.0 * ln_p).sqrt();
    let top = 2.515_517 + t * (0.802_853 + t * 0.010_328);
    let bottom = 1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
    top / bottom - t
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_error_function_gives_the_bits_of_two() {
        for step in -4000..400 {
            let x = f64::from(step) / 100.0;
            let apart = (ln_normal_cdf(x), erfcx(-x * FRAC_1_SQRT_2));
            assert_eq!(ln_cdf_and_erfcx(x), apart, "{x}");
        }
    }
}
