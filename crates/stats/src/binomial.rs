//! The binomial distribution, by way of the beta function.

use crate::beta::{Side, Tails, ln_density_factor, tails};
use crate::special::ln_beta;

/// ln of the binomial coefficient; −∞ when k > n.
pub fn ln_choose(n: u64, k: u64) -> f64 {
    if k > n {
        return f64::NEG_INFINITY;
    }
    if k == 0 || k == n {
        return 0.0;
    }
    let (n, k) = (n as f64, k as f64);
    -(n + 1.0).ln() - ln_beta(n - k + 1.0, k + 1.0)
}

/// ln P[X = k] for X binomial(n, p); −∞ when k > n, NaN unless 0 ≤ p ≤ 1.
pub fn ln_binomial_pmf(k: u64, n: u64, p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let (successes, trials) = (k as f64, n as f64);
    if k > n {
        f64::NEG_INFINITY
    } else if n == 0 {
        0.0
    } else if k == 0 {
        trials * (-p).ln_1p()
    } else if k == n {
        trials * p.ln()
    } else if p == 0.0 || p == 1.0 {
        f64::NEG_INFINITY
    } else {
        let failures = trials - successes;
        let weight = (trials / successes / failures).ln();
        weight + ln_density_factor(successes, failures, p, 1.0 - p)
    }
}

/// P[X ≥ k] for X binomial(n, p). NaN unless 0 ≤ p ≤ 1.
pub fn binomial_sf(k: u64, n: u64, p: f64) -> f64 {
    upper_tail(k, n, p).lower()
}

/// ln P[X ≥ k], finite however small the probability.
pub fn ln_binomial_sf(k: u64, n: u64, p: f64) -> f64 {
    upper_tail(k, n, p).ln(Side::Lower)
}

/// P[X ≥ k] = I_p(k, n−k+1), DLMF 8.17.5.
fn upper_tail(k: u64, n: u64, p: f64) -> Tails {
    if !(0.0..=1.0).contains(&p) {
        Tails::Lower(f64::NAN)
    } else if k == 0 {
        Tails::Lower(0.0)
    } else if k > n {
        Tails::Lower(f64::NEG_INFINITY)
    } else {
        tails(k as f64, (n - k) as f64 + 1.0, p, 1.0 - p)
    }
}
