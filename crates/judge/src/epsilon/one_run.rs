//! Epsilon from one training run (Steinke, Nasr and Jagielski, "Privacy Auditing with One (1)
//! Training Run", 2023).
//!
//! m records were each included by a fair coin; r of them are guessed to be members and v guesses
//! are right. Under (ε, δ)-DP, with q = 1/(1 + e^−ε) and B binomial(r, q), the chance of v or more
//! is at most P[B ≥ v] + 2mδ · maxᵢ P[v − i ≤ B < v]/i (theorem 5.2). Records may depend on one
//! another in any way. Here only members are guessed (k₋ = 0), at cuts that are counts of guesses; where
//! coins really were flipped, [`super::coins`] guesses on both sides.

use stats::binomial::{binomial_sf, ln_binomial_pmf};
use stats::roc::Roc;

use super::candidates::{Guesses, one_run as cuts_of};
use super::root::largest_refuted;
use super::{Claim, EpsilonBound, Inclusion};

pub(super) const COINS: &str = "each record was included by its own fair coin, as the theorem asks";
const FIXED: &str = "the theorem asks that each record be included by its own fair coin; here a \
    fixed share was, so this is an indication, not a proof";

pub(crate) fn inclusion_note(inclusion: Inclusion) -> &'static str {
    match inclusion {
        Inclusion::IndependentCoins => COINS,
        Inclusion::FixedSplit => FIXED,
    }
}

/// The chance of at least as many correct guesses, if the mechanism were (ε, δ)-DP.
pub fn p_value(records: u64, guesses: Guesses, epsilon: f64, delta: f64) -> f64 {
    let right = 1.0 / (1.0 + (-epsilon).exp());
    let tail = binomial_sf(guesses.correct, guesses.made, right);
    if delta == 0.0 || guesses.correct == 0 {
        return tail.min(1.0);
    }
    let slack = largest_mean_below(guesses, right);
    (tail + 2.0 * records as f64 * delta * slack).min(1.0)
}

/// maxᵢ P[v − i ≤ B < v]/i: the largest mean of the probabilities just below v. They rise down to
/// the mode and fall after it, so the mean is largest where the next one no longer exceeds it.
/// Beyond ten deviations above the mean nothing is left to add.
fn largest_mean_below(guesses: Guesses, right: f64) -> f64 {
    let (made, correct) = (guesses.made, guesses.correct);
    let expected = made as f64 * right;
    let beyond = expected + 10.0 * (expected * (1.0 - right)).sqrt() + 10.0;
    let mut count = (correct - 1).min(beyond as u64);
    let mut probability = ln_binomial_pmf(count, made, right).exp();
    let (mut sum, mut best) = (0.0, 0.0);
    loop {
        sum += probability;
        let mean = sum / (correct - count) as f64;
        if count == 0 || (mean < best && (count as f64) < expected) {
            return mean.max(best);
        }
        best = mean.max(best);
        probability *= count as f64 / (made - count + 1) as f64 * ((1.0 - right) / right);
        count -= 1;
    }
}

/// The largest ε these guesses refute at this error, at least `from`.
pub fn epsilon_at(records: u64, guesses: Guesses, error: f64, delta: f64, from: f64) -> f64 {
    let refuted = |epsilon| p_value(records, guesses, epsilon, delta) < error;
    largest_refuted(from, 1e3, 1e-10, refuted)
}

/// The best of the given cuts, paying for all of them. A cut whose precision is not above what
/// the best so far already grants cannot improve on it.
pub fn best_of(records: u64, cuts: &[Guesses], claim: &Claim) -> (f64, Option<Guesses>) {
    let error = claim.error_each(cuts.len());
    let mut best = (0.0, None);
    for &guesses in cuts {
        let precision = guesses.correct as f64 / guesses.made.max(1) as f64;
        if precision <= 1.0 / (1.0 + f64::exp(-best.0)) {
            continue;
        }
        let value = epsilon_at(records, guesses, error, claim.delta, best.0);
        if value > best.0 {
            best = (value, Some(guesses));
        }
    }
    best
}

pub fn one_run(roc: &Roc, claim: &Claim, inclusion: Inclusion) -> EpsilonBound {
    let records = roc.members() + roc.nonmembers();
    let cuts = cuts_of(roc, records);
    let (value, guesses) = best_of(records, &cuts, claim);
    EpsilonBound {
        value,
        delta: claim.delta,
        confidence: claim.confidence,
        method: "one-run, bonferroni".to_owned(),
        cuts: cuts.len(),
        tp: guesses.map(|g| g.correct),
        fp: guesses.map(|g| g.made - g.correct),
        mu: None,
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        note: inclusion_note(inclusion).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive_slack(guesses: Guesses, right: f64) -> f64 {
        let pmf = |k| ln_binomial_pmf(k, guesses.made, right).exp();
        (1..=guesses.correct)
            .map(|i| (guesses.correct - i..guesses.correct).map(pmf).sum::<f64>() / i as f64)
            .fold(0.0, f64::max)
    }

    #[test]
    fn the_short_walk_finds_the_largest_mean() {
        for made in [1, 2, 7, 40, 300] {
            for share in [0.3, 0.5, 0.8, 1.0] {
                let correct = ((made as f64 * share) as u64).max(1);
                for right in [0.5, 0.7, 0.95, 0.9999] {
                    let guesses = Guesses { made, correct };
                    let (fast, slow) = (
                        largest_mean_below(guesses, right),
                        naive_slack(guesses, right),
                    );
                    assert!(
                        (fast - slow).abs() <= 1e-11 * slow + 1e-16,
                        "{guesses:?} {right}"
                    );
                }
            }
        }
    }

    #[test]
    fn stays_quick_and_finite_at_a_million() {
        let guesses = Guesses {
            made: 500_000,
            correct: 500_000,
        };
        let value = epsilon_at(1_000_000, guesses, 0.05, 1e-9, 0.0);
        assert!(value > 11.0 && value < 13.0, "{value}");
    }

    #[test]
    fn the_note_tells_coins_from_a_fixed_split() {
        let roc = Roc::new((0..100).map(|i| (f64::from(i), i >= 50))).unwrap();
        let claim = Claim {
            confidence: 0.95,
            delta: 1e-5,
        };
        let bound = one_run(&roc, &claim, Inclusion::FixedSplit);
        assert!(bound.note.contains("not a proof") && bound.value > 1.0);
        let bound = one_run(&roc, &claim, Inclusion::IndependentCoins);
        assert_eq!(bound.note, COINS);
    }
}
