//! Gaussian differential privacy (Dong, Roth and Su, "Gaussian Differential Privacy", 2019).
//!
//! A μ-GDP mechanism forces FNR ≥ Φ(Φ⁻¹(1 − FPR) − μ), so bounds on both rates give
//! μ ≥ Φ⁻¹(1 − FPR_up) − Φ⁻¹(FNR_up). It is (ε, δ(ε))-DP with
//! δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) (corollary 2.13), inverted here in the log domain.

use stats::normal::{ln_normal_cdf, normal_quantile};
use stats::roc::Roc;
use stats::special::log_diff_exp;

use super::candidates::{Counts, two_class};
use super::clopper_pearson::{ErrorRates, NOTE};
use super::root::largest_refuted;
use super::{Claim, EpsilonBound};

pub(crate) const ASSUMPTION: &str =
    "a bound only if the mechanism is Gaussian-DP; otherwise an estimate";

/// The μ bound at one cut fixed in advance; zero where nothing is proven.
pub fn mu_at(counts: &Counts, error: f64) -> f64 {
    let rates = ErrorRates::new(counts, error);
    let mu =
        -normal_quantile(rates.false_positive_high) - normal_quantile(rates.false_negative_high());
    mu.max(0.0)
}

/// ln δ(ε) of a μ-GDP mechanism.
pub fn ln_delta(mu: f64, epsilon: f64) -> f64 {
    let centre = -epsilon / mu;
    log_diff_exp(
        ln_normal_cdf(centre + mu / 2.0),
        epsilon + ln_normal_cdf(centre - mu / 2.0),
    )
}

/// The ε of a μ-GDP mechanism at this δ: infinite at δ = 0 unless μ is zero.
pub fn epsilon_of(mu: f64, delta: f64) -> f64 {
    if mu <= 0.0 || delta >= 1.0 {
        return 0.0;
    }
    if delta <= 0.0 {
        return f64::INFINITY;
    }
    let target = delta.ln();
    largest_refuted(0.0, 1e9, 1e-14, |epsilon| ln_delta(mu, epsilon) > target)
}

/// Nothing at δ = 0, where a Gaussian mechanism has no finite ε.
pub fn gaussian(roc: &Roc, claim: &Claim) -> Option<EpsilonBound> {
    if claim.delta <= 0.0 {
        return None;
    }
    let cuts = two_class(roc);
    let error = claim.error_each(cuts.len());
    let mut best = (0.0, None);
    for counts in &cuts {
        let mu = mu_at(counts, error);
        if mu > best.0 {
            best = (mu, Some(*counts));
        }
    }
    let (mu, counts) = best;
    Some(EpsilonBound {
        value: epsilon_of(mu, claim.delta),
        delta: claim.delta,
        confidence: claim.confidence,
        method: "gaussian-dp, bonferroni".to_owned(),
        cuts: cuts.len(),
        tp: counts.map(|c| c.tp),
        fp: counts.map(|c| c.fp),
        mu: Some(mu),
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        note: format!("{ASSUMPTION}; {NOTE}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversion_inverts_itself() {
        for mu in [0.01, 0.5, 1.0, 4.0, 12.0] {
            for delta in [1e-9, 1e-5, 1e-3] {
                let epsilon = epsilon_of(mu, delta);
                if epsilon > 0.0 {
                    assert!((ln_delta(mu, epsilon) - f64::ln(delta)).abs() < 1e-7);
                }
            }
        }
    }

    #[test]
    fn ends_are_defined() {
        assert_eq!(epsilon_of(0.0, 1e-5), 0.0);
        assert_eq!(epsilon_of(1.0, 0.0), f64::INFINITY);
        assert_eq!(epsilon_of(1.0, 1.0), 0.0);
        let nothing = Counts {
            tp: 0,
            fp: 5,
            members: 5,
            nonmembers: 5,
        };
        assert_eq!(mu_at(&nothing, 0.05), 0.0);
    }
}
