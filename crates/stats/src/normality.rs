//! The Anderson–Darling test of normality, mean and variance estimated.

use crate::normal::ln_normal_cdf;

/// 5% critical value of the corrected statistic: larger rejects normality.
pub const ANDERSON_DARLING_CRITICAL_5_PERCENT: f64 = 0.748;

/// Fewer values than this say nothing about shape.
const SMALLEST_SAMPLE: usize = 8;

/// A² · (1 + 0.75/n + 2.25/n²) (Stephens 1974, case 3; D'Agostino and Stephens
/// 1986, table 4.9). Sorts the sample. `None` for fewer than eight values, a
/// value that is not finite, or no spread.
pub fn anderson_darling(sample: &mut [f64]) -> Option<f64> {
    if sample.len() < SMALLEST_SAMPLE {
        return None;
    }
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let squares: f64 = sample.iter().map(|x| (x - mean) * (x - mean)).sum();
    let deviation = (squares / (n - 1.0)).sqrt();
    if !deviation.is_finite() || deviation == 0.0 {
        return None;
    }
    sample.sort_unstable_by(f64::total_cmp);
    let standardised = |x: f64| (x - mean) / deviation;
    let mirrored = sample.iter().rev();
    let sum: f64 = (sample.iter().zip(mirrored).enumerate())
        .map(|(rank, (&low, &high))| {
            let both = ln_normal_cdf(standardised(low)) + ln_normal_cdf(-standardised(high));
            (2 * rank + 1) as f64 * both
        })
        .sum();
    let statistic = -n - sum / n;
    Some(statistic * (1.0 + 0.75 / n + 2.25 / (n * n)))
}
