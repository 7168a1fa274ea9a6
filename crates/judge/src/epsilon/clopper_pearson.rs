//! Epsilon from bounds on both error rates (Nasr et al., "Adversary Instantiation", 2021).
//!
//! (ε, δ)-DP implies TPR ≤ e^ε FPR + δ and 1 − FPR ≤ e^ε FNR + δ (Kairouz et al. 2015), so with
//! one-sided Clopper–Pearson bounds at α/2 each,
//! ε ≥ max(0, ln((TPR_lo − δ)/FPR_up), ln((1 − FPR_up − δ)/FNR_up)).
//! The best of several cuts is taken at α divided by their number.

use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};
use stats::roc::Roc;

use super::candidates::{Counts, two_class};
use super::{Claim, EpsilonBound};

pub(crate) const NOTE: &str = "takes the records as independent draws; a single training run \
    makes them only nearly so";

/// What the counts of one cut leave possible, each with error at most half of `error`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRates {
    pub true_positive_low: f64,
    pub false_positive_high: f64,
}

impl ErrorRates {
    pub fn new(counts: &Counts, error: f64) -> Self {
        ErrorRates {
            true_positive_low: clopper_pearson_lower(counts.tp, counts.members, error / 2.0),
            false_positive_high: clopper_pearson_upper(counts.fp, counts.nonmembers, error / 2.0),
        }
    }

    pub fn false_negative_high(&self) -> f64 {
        1.0 - self.true_positive_low
    }
}

/// The bound at one cut fixed in advance.
pub fn epsilon_at(counts: &Counts, error: f64, delta: f64) -> f64 {
    let rates = ErrorRates::new(counts, error);
    let above = log_ratio(rates.true_positive_low - delta, rates.false_positive_high);
    let below = log_ratio(
        1.0 - rates.false_positive_high - delta,
        rates.false_negative_high(),
    );
    above.max(below)
}

/// ln(share/error), or zero where that proves nothing.
fn log_ratio(share: f64, error: f64) -> f64 {
    if share > error && error > 0.0 {
        (share / error).ln()
    } else {
        0.0
    }
}

/// The best of the given cuts, paying for all of them.
pub fn best_of(cuts: &[Counts], claim: &Claim) -> (f64, Option<Counts>) {
    let error = claim.error_each(cuts.len());
    let mut best = (0.0, None);
    for counts in cuts {
        let value = epsilon_at(counts, error, claim.delta);
        if value > best.0 {
            best = (value, Some(*counts));
        }
    }
    best
}

/// The report's bound: the fixed cuts of [`two_class`], Bonferroni over exactly these.
pub fn bonferroni(roc: &Roc, claim: &Claim) -> EpsilonBound {
    let cuts = two_class(roc);
    let (value, counts) = best_of(&cuts, claim);
    EpsilonBound {
        value,
        delta: claim.delta,
        confidence: claim.confidence,
        method: "clopper-pearson, bonferroni".to_owned(),
        cuts: cuts.len(),
        tp: counts.map(|c| c.tp),
        fp: counts.map(|c| c.fp),
        mu: None,
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        note: NOTE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfect_separation_is_bounded_and_chance_is_zero() {
        let perfect = Roc::new((0..1000).map(|i| (f64::from(i), i >= 500))).unwrap();
        let claim = Claim {
            confidence: 0.95,
            delta: 1e-5,
        };
        let bound = bonferroni(&perfect, &claim);
        assert!(bound.value > 3.5 && bound.value < 5.0, "{}", bound.value);
        let chance = Roc::new((0..1000).map(|i| (f64::from(i), i % 2 == 0))).unwrap();
        let bound = bonferroni(&chance, &claim);
        assert_eq!((bound.value, bound.tp), (0.0, None));
    }

    #[test]
    fn an_impossible_delta_proves_nothing() {
        let counts = Counts {
            tp: 5,
            fp: 0,
            members: 5,
            nonmembers: 5,
        };
        assert_eq!(epsilon_at(&counts, 0.05, 1.0), 0.0);
    }
}
