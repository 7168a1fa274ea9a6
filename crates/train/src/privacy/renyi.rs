//! Rényi divergence of the Poisson-subsampled Gaussian mechanism (Mironov, Talwar & Zhang 2019,
//! "Rényi differential privacy of the sampled Gaussian mechanism").

use stats::normal::ln_normal_cdf;
use stats::special::{ln_gamma, log_diff_exp, log_sum_exp};

/// Terms of the series are left off once they are this small; the sum is at least 1.
const LN_NEGLIGIBLE: f64 = -40.0;

/// Where a slow series is cut.
const MOST_TERMS: f64 = 1000.0;

/// ε(α) of one step: noise `sigma`, sampling rate `rate`.
pub(crate) fn of_step(order: f64, sigma: f64, rate: f64) -> f64 {
    if sigma == 0.0 {
        f64::INFINITY
    } else if rate >= 1.0 {
        order / (2.0 * sigma * sigma)
    } else if order.fract() == 0.0 {
        ln_moment_whole(order, sigma, rate) / (order - 1.0)
    } else {
        ln_moment_fractional(order, sigma, rate) / (order - 1.0)
    }
}

/// ln A(α) for whole α: section 3.3, equation (9), a binomial sum.
fn ln_moment_whole(order: f64, sigma: f64, rate: f64) -> f64 {
    let term = |k: u32| {
        let k = f64::from(k);
        let ln_binomial = ln_gamma(order + 1.0) - ln_gamma(k + 1.0) - ln_gamma(order - k + 1.0);
        let ln_weight = k * rate.ln() + (order - k) * (-rate).ln_1p();
        ln_binomial + ln_weight + (k * k - k) / (2.0 * sigma * sigma)
    };
    let terms: Vec<f64> = (0..=order as u32).map(term).collect();
    log_sum_exp(&terms)
}

/// ln A(α) for fractional α: section 3.3, the two series split at z₀. Their binomial coefficients
/// alternate in sign once i passes α, so positive and negative terms are summed apart. The terms
/// shrink from there on: cut after a positive one, the series errs to the safe side.
fn ln_moment_fractional(order: f64, sigma: f64, rate: f64) -> f64 {
    let split = sigma * sigma * (1.0 / rate - 1.0).ln() + 0.5;
    let (ln_in, ln_out) = (rate.ln(), (-rate).ln_1p());
    let growth = |x: f64| (x * x - x) / (2.0 * sigma * sigma);
    let (mut plus, mut minus) = (Vec::new(), Vec::new());
    let (mut ln_binomial, mut negative, mut i) = (0.0, false, 0.0);
    loop {
        let j = order - i;
        let below =
            ln_binomial + i * ln_in + j * ln_out + growth(i) + ln_normal_cdf((split - i) / sigma);
        let above =
            ln_binomial + j * ln_in + i * ln_out + growth(j) + ln_normal_cdf((j - split) / sigma);
        let side = if negative { &mut minus } else { &mut plus };
        side.extend([below, above]);
        let enough = below.max(above) < LN_NEGLIGIBLE || i > MOST_TERMS;
        if i > order && !negative && enough {
            break;
        }
        negative ^= j < 0.0;
        ln_binomial += j.abs().ln() - (i + 1.0).ln();
        i += 1.0;
    }
    log_diff_exp(log_sum_exp(&plus), log_sum_exp(&minus))
}
