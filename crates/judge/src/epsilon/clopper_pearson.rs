//! Epsilon from bounds on both error rates (Nasr et al., "Adversary Instantiation", 2021).
//!
//! (ε, δ)-DP implies TPR ≤ e^ε FPR + δ and 1 − FPR ≤ e^ε FNR + δ (Kairouz et al. 2015), so with
//! one-sided Clopper–Pearson bounds at α/2 each,
//! ε ≥ max(0, ln((TPR_lo − δ)/FPR_up), ln((1 − FPR_up − δ)/FNR_up)).
//! The best of several cuts is taken at α divided by their number.

use stats::beta::{clopper_pearson_lower, clopper_pearson_upper};
use stats::roc::Roc;

use super::candidates::{Counts, budgets, two_class};
use super::{Claim, EpsilonBound};

pub(crate) const NOTE: &str = "takes the records as independent draws; a single training run \
    makes them only nearly so";

/// What the bound is called.
pub(crate) const METHOD: &str = "clopper-pearson, bonferroni";

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

/// The fixed cuts of [`two_class`] as pairs of true and false positives: with the sizes of both
/// classes they give the bound at any δ and any confidence again.
pub fn cuts(roc: &Roc) -> Vec<(u64, u64)> {
    let counts = two_class(roc).into_iter();
    counts.map(|counts| (counts.tp, counts.fp)).collect()
}

/// The bound at cuts that were kept; the same as [`bonferroni`] of the curve they were taken from.
pub fn at_cuts(cuts: &[(u64, u64)], members: u64, nonmembers: u64, claim: &Claim) -> f64 {
    let counts = |&(tp, fp): &(u64, u64)| Counts {
        tp: tp.min(members),
        fp: fp.min(nonmembers),
        members,
        nonmembers,
    };
    let cuts: Vec<Counts> = cuts.iter().map(counts).collect();
    best_of(&cuts, claim).0
}

/// The bound that an attack which tells all records apart would prove with so many of them.
pub fn largest(members: u64, nonmembers: u64, claim: &Claim) -> f64 {
    if members == 0 || nonmembers == 0 {
        return 0.0;
    }
    let counts = |tp, fp| Counts {
        tp,
        fp,
        members,
        nonmembers,
    };
    let few_wrong = budgets(nonmembers / 2).map(|allowed| counts(members, allowed));
    let few_missed = budgets(members / 2).map(|missed| counts(members - missed, 0));
    let cuts: Vec<Counts> = few_wrong.chain(few_missed).collect();
    best_of(&cuts, claim).0
}

/// The least error at which these cuts prove so large an ε: the p-value of "it is no larger". One
/// where no error does.
pub fn p_value(roc: &Roc, epsilon: f64, delta: f64) -> f64 {
    const LEAST: f64 = 1e-12;
    let cuts = two_class(roc);
    let proves = |error: f64| {
        let each = error / cuts.len().max(1) as f64;
        cuts.iter()
            .any(|counts| epsilon_at(counts, each, delta) >= epsilon)
    };
    if proves(LEAST) || !proves(1.0) {
        return if proves(LEAST) { LEAST } else { 1.0 };
    }
    let (mut low, mut high) = (LEAST.ln(), 0.0_f64);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        match proves(middle.exp()) {
            true => high = middle,
            false => low = middle,
        }
    }
    high.exp()
}

/// The report's bound: the fixed cuts of [`two_class`], Bonferroni over exactly these.
pub fn bonferroni(roc: &Roc, claim: &Claim) -> EpsilonBound {
    let cuts = two_class(roc);
    let (value, counts) = best_of(&cuts, claim);
    EpsilonBound {
        value,
        delta: claim.delta,
        confidence: claim.confidence,
        method: METHOD.to_owned(),
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

    /// An even spread of members over the upper part of the scores.
    fn leaky(shift: i32) -> Roc {
        let score = |i: i32| f64::from(i * 7919 % 2003 + shift * (i % 2));
        Roc::new((0..2000).map(|i| (score(i), i % 2 == 1))).unwrap()
    }

    #[test]
    fn kept_cuts_give_the_bound_again_at_any_delta_and_confidence() {
        for shift in [0, 500, 1500, 4000] {
            let roc = leaky(shift);
            for (confidence, delta) in [(0.95, 1e-5), (0.998, 1e-3), (0.9, 0.0)] {
                let claim = Claim { confidence, delta };
                let kept = at_cuts(&cuts(&roc), roc.members(), roc.nonmembers(), &claim);
                assert_eq!(kept, bonferroni(&roc, &claim).value);
            }
        }
    }

    #[test]
    fn a_perfect_attack_proves_the_largest_bound() {
        for (members, nonmembers) in [(1, 1), (20, 30), (500, 500), (1000, 64)] {
            let claim = Claim {
                confidence: 0.99,
                delta: 1e-5,
            };
            let count = members + nonmembers;
            let perfect = Roc::new((0..count).map(|i| (i as f64, i >= nonmembers))).unwrap();
            let found = bonferroni(&perfect, &claim).value;
            assert_eq!(largest(members as u64, nonmembers as u64, &claim), found);
        }
    }

    #[test]
    fn the_p_value_is_the_error_at_which_the_bound_reaches_the_value() {
        let roc = leaky(500);
        for error in [0.01, 0.05, 0.2] {
            let claim = Claim {
                confidence: 1.0 - error,
                delta: 1e-5,
            };
            let p = p_value(&roc, bonferroni(&roc, &claim).value, 1e-5);
            assert!((p / error - 1.0).abs() < 1e-6, "{p} for {error}");
        }
        assert_eq!(p_value(&leaky(0), 1.0, 1e-5), 1.0);
        assert!(p_value(&leaky(4000), 0.1, 1e-5) < 1e-9);
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
