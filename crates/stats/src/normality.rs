//! The Anderson–Darling test of normality, mean and variance estimated, and what a normal sample's
//! residuals look like once they are divided by its own deviation.

use crate::beta::incomplete_beta;
use crate::normal::ln_normal_tails;

/// 5% critical value of the corrected statistic: larger rejects normality. D'Agostino and
/// Stephens (1986) have 0.752; this one, of the paper whose tables ours are compared with, rejects
/// a true normal about 5.1% of the time.
pub const ANDERSON_DARLING_CRITICAL_5_PERCENT: f64 = 0.748;

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
    let n = sample.len();
    let sum: f64 = (sample.iter().enumerate())
        .map(|(rank, &value)| {
            let (below, above) = ln_normal_tails(value);
            (2 * rank + 1) as f64 * below + (2 * (n - rank) - 1) as f64 * above
        })
        .sum();
    let n = n as f64;
    let statistic = -n - sum / n;
    Some(statistic * (1.0 + 0.75 / n + 2.25 / (n * n)))
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
