//! Tiers of canaries together: what any of them proves about one record.
//!
//! What was trained on more often may be remembered where what was trained on once is not, and by group privacy
//! that says something about one record too. Whoever asks whether ε lies above a value asks every tier, so that
//! all of them share the error equally (Bonferroni): the largest of their bounds holds at the confidence that
//! was asked for.

use super::Claim;
use super::coins::CoinGuesses;
use crate::AttackMeasures;

impl AttackMeasures {
    /// Guesses about coins, tier by tier, those that were trained on least often first.
    fn tiers(&self) -> impl Iterator<Item = &CoinGuesses> {
        self.coins.iter().chain(&self.repeated)
    }

    /// What is asked of each tier.
    fn of_each_tier(&self, claim: &Claim) -> Claim {
        Claim {
            confidence: 1.0 - claim.error_each(self.tiers().count()),
            ..*claim
        }
    }

    /// The largest ε of one record that a tier proves, and the tier: the least repeated of equals. Nothing
    /// where records had no coins.
    pub fn proved_by_coins(&self, claim: &Claim) -> Option<(f64, &CoinGuesses)> {
        let claim = self.of_each_tier(claim);
        largest(self.tiers().map(|tier| (tier.bound(&claim).0, tier)))
    }

    /// The largest ε that an attack which orders all canaries rightly would have proved, and by which tier.
    pub fn showable_by_coins(&self, claim: &Claim) -> Option<(f64, &CoinGuesses)> {
        let claim = self.of_each_tier(claim);
        largest(self.tiers().map(|tier| (tier.largest(&claim), tier)))
    }

    /// So many canaries of the same tier would show more than this ε, if there is such a number.
    pub(crate) fn canaries_needed(
        &self,
        epsilon: f64,
        tier: &CoinGuesses,
        claim: &Claim,
    ) -> Option<u64> {
        let claim = self.of_each_tier(claim);
        crate::power::canaries_needed(epsilon, tier.repetitions, tier.mechanism, &claim)
    }
}

fn largest<'a>(
    bounds: impl Iterator<Item = (f64, &'a CoinGuesses)>,
) -> Option<(f64, &'a CoinGuesses)> {
    bounds.reduce(|best, next| if next.0 > best.0 { next } else { best })
}

#[cfg(test)]
#[path = "tiers_tests.rs"]
mod tests;
