//! Epsilon from one run when the mechanism is Gaussian-DP (Mahloujifar, Melis and Chaudhuri,
//! "Auditing f-Differential Privacy in One Run", 2024).
//!
//! c guesses out of m records, v of them right. Were the mechanism f-DP, the weighted tail masses
//! of the number of right guesses would obey a recursion: from rᵥ = α·v/m and hᵥ = α·(c − v)/m
//! downwards, hᵢ = max(hᵢ₊₁, f̄⁻¹(rᵢ₊₁)) and rᵢ = rᵢ₊₁ + i/(c − i) · (hᵢ − hᵢ₊₁), with
//! f̄⁻¹(x) = Φ(Φ⁻¹(x) − μ) for μ-GDP. r₀ + h₀ cannot exceed c/m, all the mass there is; if it
//! does, the tail was smaller than α: the claim is refuted at that error. The largest refuted μ is
//! turned into ε at δ.

use stats::normal::{normal_cdf, normal_quantile};
use stats::roc::Roc;

use super::candidates::{Guesses, one_run as cuts_of};
use super::gaussian::{ASSUMPTION, epsilon_of};
use super::one_run::inclusion_note;
use super::root::largest_refuted;
use super::{Claim, EpsilonBound, Inclusion};

/// The recursion takes a step per right guess: beyond this many guesses it costs more than it
/// tells, because few guesses at high precision are where the bound comes from.
pub(super) const MOST_GUESSES: u64 = 8192;

/// Whether these guesses refute μ-GDP at this error.
pub fn refutes(records: u64, guesses: Guesses, mu: f64, error: f64) -> bool {
    let (made, correct) = (guesses.made as f64, guesses.correct as f64);
    let records = records as f64;
    let all = made / records;
    let mut right = error * correct / records;
    let mut wrong = error * (made - correct) / records;
    for count in (0..guesses.correct).rev() {
        let forced = normal_cdf(normal_quantile(right) - mu);
        if forced <= wrong {
            break;
        }
        let count = count as f64;
        right = (right + count / (made - count) * (forced - wrong)).min(1.0);
        wrong = forced;
        if right + wrong > all {
            return true;
        }
    }
    right + wrong > all
}

/// The largest μ these guesses refute at this error, at least `from`.
pub fn mu_at(records: u64, guesses: Guesses, error: f64, from: f64) -> f64 {
    largest_refuted(from, 64.0, 1e-9, |mu| refutes(records, guesses, mu, error))
}

/// The best of the given cuts, paying for all of them.
pub fn best_of(records: u64, cuts: &[Guesses], claim: &Claim) -> (f64, Option<Guesses>) {
    let error = claim.error_each(cuts.len());
    let mut best = (0.0, None);
    for &guesses in cuts {
        if 2 * guesses.correct <= guesses.made {
            continue;
        }
        let mu = mu_at(records, guesses, error, best.0);
        if mu > best.0 {
            best = (mu, Some(guesses));
        }
    }
    best
}

/// Nothing at δ = 0, where a Gaussian mechanism has no finite ε.
pub fn one_run_fdp(roc: &Roc, claim: &Claim, inclusion: Inclusion) -> Option<EpsilonBound> {
    if claim.delta <= 0.0 {
        return None;
    }
    let records = roc.members() + roc.nonmembers();
    let cuts = cuts_of(roc, MOST_GUESSES);
    let (mu, guesses) = best_of(records, &cuts, claim);
    Some(EpsilonBound {
        value: epsilon_of(mu, claim.delta),
        delta: claim.delta,
        confidence: claim.confidence,
        method: "one-run f-dp (gaussian), bonferroni".to_owned(),
        cuts: cuts.len(),
        tp: guesses.map(|g| g.correct),
        fp: guesses.map(|g| g.made - g.correct),
        mu: Some(mu),
        n_members: roc.members(),
        n_nonmembers: roc.nonmembers(),
        note: format!("{ASSUMPTION}; {}", inclusion_note(inclusion)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refutation_only_gets_harder() {
        let guesses = Guesses {
            made: 200,
            correct: 160,
        };
        let refuted: Vec<bool> = (0..60)
            .map(|step| refutes(1000, guesses, f64::from(step) * 0.05, 0.05))
            .collect();
        assert!(refuted[0] && !refuted[59]);
        assert!(refuted.windows(2).all(|pair| pair[0] || !pair[1]));
    }

    #[test]
    fn coin_flips_refute_nothing() {
        for correct in [0, 1, 50] {
            let guesses = Guesses { made: 100, correct };
            assert_eq!(mu_at(1000, guesses, 0.05, 0.0), 0.0);
        }
        let nobody = Guesses {
            made: 0,
            correct: 0,
        };
        assert_eq!(
            best_of(
                10,
                &[nobody],
                &Claim {
                    confidence: 0.95,
                    delta: 1e-5
                }
            )
            .0,
            0.0
        );
    }
}
