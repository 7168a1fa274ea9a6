//! The normal distribution, in tails as deep as a double can name.
//!
//! Everything rests on the scaled complementary error function: it changes
//! slowly, so that the rounding of its argument costs nothing, and the large
//! part exp(−x²/2) is applied (or, in logs, added) separately.

use crate::special::HALF_LN_TWO_PI;
use crate::vectors::{exp_of_nonpositive, ln_of_normal};
use crate::widest;
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

/// Powers of (t − 4)/(t + 4) for (1 + 2t) erfcx(t), t ≥ 0: at Chebyshev's nodes, relative error 5e-17.
const SCALED: [f64; 24] = [
    1.232_995_118_625_552_6,
    -0.139_621_116_840_562_5,
    0.015_379_652_102_610_162,
    0.068_097_054_254_686_2,
    -0.101_039_066_035_852_94,
    0.093_732_834_998_651_72,
    -0.066_330_365_820_503_67,
    0.037_167_515_531_843_2,
    -0.016_197_733_979_924_26,
    0.005_031_970_032_548_695,
    -0.000_757_773_714_183_888_5,
    -0.000_199_257_004_121_848_15,
    0.000_150_623_117_851_620_7,
    -2.439_811_794_207_995e-5,
    -1.122_514_035_444_965_8e-5,
    5.707_239_573_693_257e-6,
    2.980_596_055_322_769e-7,
    -8.218_020_654_813_044e-7,
    7.111_912_428_010_423e-8,
    1.068_344_292_674_458_6e-7,
    -1.635_738_398_212_476_8e-8,
    -1.254_482_540_385_551_8e-8,
    1.571_215_363_831_906_4e-9,
    9.655_408_225_482_863e-10,
];

/// ln Φ of numbers: as [`ln_normal_cdf`] to the last digits, at any width of vectors the same.
pub fn ln_normal_cdfs(of: &[f64], into: &mut [f64]) {
    if !all_ln_normal_cdfs(of, into) {
        let odd = of.iter().zip(into).filter(|(x, _)| !is_usual(**x));
        odd.for_each(|(x, ln)| *ln = ln_normal_cdf(*x));
    }
}

#[inline(always)]
fn is_usual(x: f64) -> bool {
    x.abs() <= 1e150
}

widest! {
    /// Whether all were such that the answer is right.
    fn all_ln_normal_cdfs(of: &[f64], into: &mut [f64]) -> bool {
        let mut odd = 0u64;
        for (&x, ln) in of.iter().zip(into) {
            let usual = is_usual(x);
            odd |= u64::from(!usual);
            *ln = ln_cdf_of_usual(if usual { x } else { 0.0 });
        }
        odd == 0
    }
}

/// Without branches: below zero ln(erfcx/2) − x²/2, above ln(1 − erfcx/2 · e^(−x²/2)).
#[inline(always)]
fn ln_cdf_of_usual(x: f64) -> f64 {
    let far = x.abs();
    let t = far * FRAC_1_SQRT_2;
    let y = (t - 4.0) / (t + 4.0);
    let (y2, pair) = (y * y, |n: usize| y.mul_add(SCALED[n + 1], SCALED[n]));
    let y4 = y2 * y2;
    let four = |n: usize| y2.mul_add(pair(n + 2), pair(n));
    let y8 = y4 * y4;
    let eight = |n: usize| y4.mul_add(four(n + 4), four(n));
    let sum = y8.mul_add(y8.mul_add(eight(16), eight(8)), eight(0));
    let half = 0.5 * sum / t.mul_add(2.0, 1.0);
    // As `exp_of_square` has it.
    let lead = f64::from_bits(far.to_bits() & 0xffff_ffff_f800_0000);
    let rest = (far - lead) * (far + lead);
    let power = exp_of_nonpositive(-0.5 * lead * lead) * exp_of_nonpositive(-0.5 * rest);
    let tail = if far > 38.0 { 0.0 } else { half * power };
    let whole = 1.0 - tail;
    let lost = (1.0 - whole - tail) / whole;
    let below = x < 0.0;
    let of = if below { half } else { whole };
    ln_of_normal(of) + if below { -0.5 * x * x } else { lost }
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
    fn many_are_as_one_at_a_time() {
        let near = (-60_000..60_000).map(|step| f64::from(step) / 1_500.0);
        let wide = (0..3_000).map(|step| -(10f64.powf(f64::from(step) * 0.05)));
        let close = (0..600).map(|step| 10f64.powf(-0.5 * f64::from(step)));
        let all: Vec<f64> = near.chain(wide).chain(close).collect();
        let mut fast = vec![0.0; all.len()];
        ln_normal_cdfs(&all, &mut fast);
        for (x, fast) in all.iter().zip(&fast) {
            let slow = ln_normal_cdf(*x);
            let near = (fast - slow).abs() <= 2e-15 * slow.abs() + 1e-300;
            assert!(near || *fast == slow, "{x}: {fast} {slow}");
        }
        crate::vectors::tests::same_bits_at_every_width(&all, ln_normal_cdfs);
        let odd = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, 1e200, -1e200];
        let mut fast = [9.0; 5];
        ln_normal_cdfs(&odd, &mut fast);
        for (x, fast) in odd.iter().zip(fast) {
            let slow = ln_normal_cdf(*x);
            assert!(
                fast == slow || fast.is_nan() && slow.is_nan(),
                "{x}: {fast} {slow}"
            );
        }
    }

    #[test]
    fn one_error_function_gives_the_bits_of_two() {
        for step in -4000..400 {
            let x = f64::from(step) / 100.0;
            let apart = (ln_normal_cdf(x), erfcx(-x * FRAC_1_SQRT_2));
            assert_eq!(ln_cdf_and_erfcx(x), apart, "{x}");
        }
    }
}
