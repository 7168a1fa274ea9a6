//! The Anderson–Darling test of normality, mean and variance estimated, and what a normal sample's
//! residuals look like once they are divided by its own deviation.

use crate::beta::incomplete_beta;
use crate::normal::ln_normal_cdf;
use std::f64::consts::FRAC_1_SQRT_2;

/// 5% critical value of the corrected statistic: larger rejects normality (D'Agostino and Stephens
/// 1986, table 4.9). The 0.748 of the BaVarIA paper is this value without the factor, at n = 128;
/// held against the corrected statistic it rejects too often.
pub const ANDERSON_DARLING_CRITICAL_5_PERCENT: f64 = 0.752;

/// Fewer values than this say nothing about shape.
pub const SMALLEST_SAMPLE: usize = 8;

/// A² · (1 + 0.75/n + 2.25/n²) (Stephens 1974, case 3; D'Agostino and Stephens
/// 1986, table 4.9). Leaves the sample standardised and sorted. `None` for fewer than eight
/// values, a value that is not finite, or no spread.
pub fn anderson_darling(sample: &mut [f64]) -> Option<f64> {
    if sample.len() < SMALLEST_SAMPLE || !standardise(sample) {
        return None;
    }
    sample.sort_unstable_by(f64::total_cmp);
    let n = sample.len() as f64;
    let statistic = -n - weighted_logarithms(sample) / n;
    Some(statistic * (1.0 + 0.75 / n + 2.25 / (n * n)))
}

/// Σ (2i−1) · ln(Φ(zᵢ) Φ(−zₙ₊₁₋ᵢ)) over a sorted sample, i from 1.
fn weighted_logarithms(sorted: &[f64]) -> f64 {
    let farthest = sorted.iter().fold(0.0, |most: f64, z| most.max(z.abs()));
    if farthest > FARTHEST_PLAIN {
        let pairs = sorted.iter().zip(sorted.iter().rev()).zip(1..);
        return pairs
            .map(|((&low, &high), i)| {
                f64::from(2 * i - 1) * (ln_normal_cdf(low) + ln_normal_cdf(-high))
            })
            .sum();
    }
    // From both ends to the middle, so that each error function serves two terms.
    let n = sorted.len();
    let mut sum = 0.0;
    for first in 0..n / 2 {
        let last = n - 1 - first;
        let (low, high) = (Sides::at(sorted[first]), Sides::at(sorted[last]));
        sum += (2 * first + 1) as f64 * (low.below * high.above).ln();
        sum += (2 * last + 1) as f64 * (high.below * low.above).ln();
    }
    if n % 2 == 1 {
        let middle = Sides::at(sorted[n / 2]);
        sum += n as f64 * (middle.below * middle.above).ln();
    }
    sum
}

/// Up to here the product of two tails is far from underflow.
const FARTHEST_PLAIN: f64 = 25.0;

/// Φ(z) and Φ(−z).
struct Sides {
    below: f64,
    above: f64,
}

impl Sides {
    fn at(z: f64) -> Self {
        let far = 0.5 * libm::erfc(z.abs() * FRAC_1_SQRT_2);
        let near = 1.0 - far;
        let (below, above) = if z < 0.0 { (far, near) } else { (near, far) };
        Sides { below, above }
    }
}

/// Takes off the mean and divides by the deviation (denominator n − 1). Says whether it could:
/// a sample without spread, or with a value that is not finite, has no such scale.
pub fn standardise(sample: &mut [f64]) -> bool {
    let Some(&first) = sample.first() else {
        return false;
    };
    if sample.iter().all(|&x| x == first) {
        // Said apart, because the mean of equal values may be off by a rounding.
        return false;
    }
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let squares: f64 = sample.iter().map(|x| (x - mean) * (x - mean)).sum();
    let deviation = (squares / (n - 1.0)).sqrt();
    if !deviation.is_finite() || deviation == 0.0 {
        return false;
    }
    for value in sample {
        *value = (*value - mean) / deviation;
    }
    true
}

/// P[R > r] for R = √(n/(n−1)) · (x − mean)/deviation of one value of a normal sample of n: such a
/// residual has variance one at any n, and R²/(n−1) is Beta(½, (n−2)/2) (Thompson 1935; Cook and
/// Weisberg 1982, section 2.2.1). NaN for fewer than three values.
pub fn residual_sf(residual: f64, n: usize) -> f64 {
    if n < 3 {
        return f64::NAN;
    }
    let degrees = n as f64 - 1.0;
    let share = (residual * residual / degrees).min(1.0);
    let half = 0.5 * incomplete_beta(0.5, 0.5 * (degrees - 1.0), share);
    if residual < 0.0 {
        0.5 + half
    } else {
        0.5 - half
    }
}
