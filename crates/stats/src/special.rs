//! Gamma-family functions and the log-domain sums every other file leans on.
//!
//! Differences of log-gammas are never formed by subtraction where the terms
//! are large: each has its own asymptotic series (DLMF 5.11), reached for small
//! arguments by the recurrence.

use std::f64::consts::LN_2;

/// ½ ln 2π.
pub(crate) const HALF_LN_TWO_PI: f64 = 0.918_938_533_204_672_7;

/// Above this the asymptotic series below are exact to the last digit or two.
const ASYMPTOTIC_FROM: f64 = 12.0;

/// Coefficients of x⁻¹, x⁻³, … in Stirling's series: B₂ₖ / (2k(2k−1)), DLMF 5.11.1.
const STIRLING: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
];

/// Coefficients of x⁻¹, x⁻³, … in lnΓ(x+½) − lnΓ(x) − ½ ln x. They are
/// (2¹⁻²ᵏ − 2) B₂ₖ / (2k(2k−1)): DLMF 5.11.8 at h = ½ less its value at h = 0.
const HALF_STEP: [f64; 8] = [
    -1.0 / 8.0,
    1.0 / 192.0,
    -1.0 / 640.0,
    17.0 / 14_336.0,
    -31.0 / 18_432.0,
    691.0 / 180_224.0,
    -5461.0 / 425_984.0,
    929_569.0 / 15_728_640.0,
];

/// B₂ₖ / 2k, for the digamma series.
const BERNOULLI_OVER_ORDER: [f64; 8] = [
    1.0 / 12.0,
    -1.0 / 120.0,
    1.0 / 252.0,
    -1.0 / 240.0,
    1.0 / 132.0,
    -691.0 / 32_760.0,
    1.0 / 12.0,
    -3617.0 / 8160.0,
];

/// The Bernoulli numbers B₂, B₄, … B₁₆ (DLMF 24.2.2).
const BERNOULLI: [f64; 8] = [
    1.0 / 6.0,
    -1.0 / 30.0,
    1.0 / 42.0,
    -1.0 / 30.0,
    5.0 / 66.0,
    -691.0 / 2730.0,
    7.0 / 6.0,
    -3617.0 / 510.0,
];

/// ln Γ(x) for x ≥ 0 (infinite at 0); NaN for negative x.
pub fn ln_gamma(x: f64) -> f64 {
    if x < 0.0 { f64::NAN } else { libm::lgamma(x) }
}

/// ln Γ(x+½) − ln Γ(x) for x > 0, else NaN. It crosses zero near x = 1.22,
/// where the error is a few units of 1e-16 absolute rather than relative.
pub fn ln_gamma_half_step(x: f64) -> f64 {
    0.5 * x.ln() + half_step_excess(x)
}

/// ln Γ(x+½) − ln Γ(x) − ½ ln x: what is left after the leading term, without
/// cancellation for large x (it tends to −1/(8x)).
pub(crate) fn half_step_excess(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    if x >= ASYMPTOTIC_FROM {
        return odd_series(&HALF_STEP, x);
    }
    let mut shifted = x;
    let mut product = 1.0;
    while shifted < ASYMPTOTIC_FROM {
        product *= 1.0 + 0.5 / shifted;
        shifted += 1.0;
    }
    odd_series(&HALF_STEP, shifted) + 0.5 * (shifted / x).ln() - product.ln()
}

/// Stirling's error ln Γ(x+1) − (x+½) ln x + x − ½ ln 2π, for x > 0
/// (Loader 2000, "stirlerr"; DLMF 5.11.1).
pub(crate) fn stirling_error(x: f64) -> f64 {
    if x >= ASYMPTOTIC_FROM {
        odd_series(&STIRLING, x)
    } else {
        libm::lgamma(x + 1.0) - (x + 0.5) * x.ln() + x - HALF_LN_TWO_PI
    }
}

/// Σ cₖ x^−(2k+1).
fn odd_series(coefficients: &[f64], x: f64) -> f64 {
    polynomial(coefficients, 1.0 / (x * x)) / x
}

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// ψ(x) = d ln Γ(x)/dx for x > 0, else NaN: recurrence (DLMF 5.5.2), then the
/// asymptotic series (DLMF 5.11.2).
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut shifted = x;
    let mut below = 0.0;
    while shifted < ASYMPTOTIC_FROM {
        below += 1.0 / shifted;
        shifted += 1.0;
    }
    let square = 1.0 / (shifted * shifted);
    let tail = square * polynomial(&BERNOULLI_OVER_ORDER, square);
    shifted.ln() - 0.5 / shifted - tail - below
}

/// ψ(a+b) − ψ(a) for positive a and b without cancellation: terms of the recurrence, then of the
/// asymptotic series, each subtracted by hand (DLMF 5.5.2 and 5.11.2).
pub fn digamma_difference(a: f64, b: f64) -> f64 {
    let mut low = a;
    let mut sum = 0.0;
    while low < 12.0 {
        sum += b / (low * (low + b));
        low += 1.0;
    }
    let high = low + b;
    // B₂ₙ/2n of the series ψ(x) = ln x − 1/2x − Σ B₂ₙ/(2n x²ⁿ).
    const TERMS: [f64; 6] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32_760.0,
    ];
    sum += (b / low).ln_1p() + b / (2.0 * low * high);
    let (low_square, high_square) = (low * low, high * high);
    let apart = b * (low + high) / (low_square * high_square);
    // x⁻²ⁿ − y⁻²ⁿ = (x⁻² − y⁻²)·Σ x⁻²ⁱ y⁻²ʲ over i + j = n − 1.
    let (mut power, mut mixed) = (1.0, 1.0);
    for term in TERMS {
        sum += term * apart * mixed;
        power /= high_square;
        mixed = mixed / low_square + power;
    }
    sum
}

/// ψ′(x) for x > 0, else NaN: recurrence (DLMF 5.15.5), then the asymptotic
/// series (DLMF 5.15.8).
pub fn trigamma(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return f64::NAN;
    }
    let mut shifted = x;
    let mut below = 0.0;
    while shifted < ASYMPTOTIC_FROM {
        below += 1.0 / (shifted * shifted);
        shifted += 1.0;
    }
    let square = 1.0 / (shifted * shifted);
    let tail = square * polynomial(&BERNOULLI, square);
    (1.0 + 0.5 / shifted + tail) / shifted + below
}

/// ln B(a, b) for a, b > 0, else NaN. Large arguments go through Stirling's
/// error, so that huge `a` costs no digits (DiDonato and Morris 1992, §3).
pub fn ln_beta(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a <= 0.0 || b <= 0.0 {
        return f64::NAN;
    }
    let (small, large) = if a < b { (a, b) } else { (b, a) };
    if large < ASYMPTOTIC_FROM {
        return ln_gamma(small) + (ln_gamma(large) - ln_gamma(small + large));
    }
    let correction = stirling_error(large) - stirling_error(small + large);
    let shrink = -(large - 0.5) * (small / large).ln_1p();
    if small < ASYMPTOTIC_FROM {
        ln_gamma(small) + shrink - small * ((small + large).ln() - 1.0) + correction
    } else {
        let share = small * (small / (small + large)).ln();
        HALF_LN_TWO_PI - 0.5 * small.ln() + share + shrink + stirling_error(small) + correction
    }
}

/// ln(1 + eˣ).
pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// ln of the logistic function: −ln(1 + e⁻ˣ).
pub fn ln_sigmoid(x: f64) -> f64 {
    -softplus(-x)
}

/// ln Σ exp(valueᵢ); −∞ for no values, NaN when any value is NaN.
pub fn log_sum_exp(values: &[f64]) -> f64 {
    let Some(top) = (0..values.len()).max_by(|&i, &j| values[i].total_cmp(&values[j])) else {
        return f64::NEG_INFINITY;
    };
    let largest = values[top];
    if largest.is_infinite() {
        return if values.iter().any(|v| v.is_nan()) {
            f64::NAN
        } else {
            largest
        };
    }
    // The largest term is exactly 1: left to ln_1p, small companions keep their digits.
    let others = |i: usize| {
        if i == top {
            0.0
        } else {
            (values[i] - largest).exp()
        }
    };
    largest + (0..values.len()).map(others).sum::<f64>().ln_1p()
}

/// ln(eᵃ − eᵇ): −∞ when a = b, NaN when a < b.
pub fn log_diff_exp(a: f64, b: f64) -> f64 {
    let gap = b - a;
    if a == b {
        f64::NEG_INFINITY
    } else if gap > -LN_2 {
        a + (-gap.exp_m1()).ln()
    } else {
        a + (-gap.exp()).ln_1p()
    }
}
