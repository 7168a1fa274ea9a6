//! What chance does at a few false positives: the exact distribution of the members caught before
//! the false positives exceed f, when members and non-members are exchangeable.
//!
//! Without ties TP is negative hypergeometric:
//! P(TP = k) = C(k+f, f) · C(n₁−k+n₀−f−1, n₀−f−1) / C(n₁+n₀, n₀). At least k are caught exactly
//! when the top k + f records hold at most f non-members, so the tail is a hypergeometric sum of
//! f + 1 positive terms: exact far out, and quick at any size. With ties the step point comes no
//! later than that of any order that breaks them, so TP is stochastically smaller than here and
//! the p-value is conservative.

use stats::binomial::ln_choose;

#[derive(Clone, Copy, Debug)]
pub struct Null {
    members: u64,
    nonmembers: u64,
    allowed: u64,
}

impl Null {
    pub fn new(members: u64, nonmembers: u64, allowed: u64) -> Self {
        Null {
            members,
            nonmembers,
            allowed,
        }
    }

    /// The budget admits every non-member: everything is caught, always.
    fn certain(&self) -> bool {
        self.allowed >= self.nonmembers
    }

    /// P(TP ≥ caught).
    pub fn p_value(&self, caught: u64) -> f64 {
        if self.certain() || caught == 0 {
            return 1.0;
        }
        if caught > self.members {
            return 0.0;
        }
        let top = caught + self.allowed;
        let all = ln_choose(self.members + self.nonmembers, top);
        let fewest = top.saturating_sub(self.members);
        (fewest..=self.allowed)
            .map(|wrong| {
                let ways = ln_choose(self.nonmembers, wrong) + ln_choose(self.members, top - wrong);
                (ways - all).exp()
            })
            .sum::<f64>()
            .min(1.0)
    }

    /// Mean and standard deviation of a function of TP.
    pub fn mean_and_deviation(&self, value: impl Fn(u64) -> f64) -> (f64, f64) {
        if self.certain() {
            return (value(self.members), 0.0);
        }
        let weights = self.weights();
        let total: f64 = weights.iter().map(|&(_, weight)| weight).sum();
        let average = |of: &dyn Fn(u64) -> f64| {
            weights
                .iter()
                .map(|&(k, weight)| weight * of(k))
                .sum::<f64>()
                / total
        };
        let mean = average(&value);
        let variance = average(&|k| (value(k) - mean).powi(2));
        (mean, variance.sqrt())
    }

    /// Counts and their probabilities relative to the mode's, as far as they matter.
    fn weights(&self) -> Vec<(u64, f64)> {
        let mode = self.mode();
        let mut weights = vec![(mode, 1.0)];
        let (mut count, mut weight) = (mode, 1.0);
        while count < self.members && weight > 1e-20 {
            weight *= self.step(count);
            count += 1;
            weights.push((count, weight));
        }
        let (mut count, mut weight) = (mode, 1.0);
        while count > 0 && weight > 1e-20 {
            weight /= self.step(count - 1);
            count -= 1;
            weights.push((count, weight));
        }
        weights
    }

    /// P(TP = k + 1) / P(TP = k).
    fn step(&self, k: u64) -> f64 {
        let (k, allowed) = (k as f64, self.allowed as f64);
        let left = self.members as f64 - k;
        (k + 1.0 + allowed) / (k + 1.0) * left / (left + self.nonmembers as f64 - allowed - 1.0)
    }

    /// The first count whose successor is not more likely; the steps shrink with k.
    fn mode(&self) -> u64 {
        let (mut low, mut high) = (0, self.members);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.step(middle) > 1.0 {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The negative hypergeometric probability, term by term.
    fn probability(null: &Null, k: u64) -> f64 {
        let Null {
            members,
            nonmembers,
            allowed,
        } = *null;
        let ways = ln_choose(k + allowed, allowed)
            + ln_choose(
                members - k + nonmembers - allowed - 1,
                nonmembers - allowed - 1,
            );
        (ways - ln_choose(members + nonmembers, nonmembers)).exp()
    }

    #[test]
    fn the_short_tail_is_the_long_sum() {
        for (members, nonmembers, allowed) in
            [(15, 15, 0), (15, 15, 4), (7, 30, 3), (40, 6, 5), (1, 1, 0)]
        {
            let null = Null::new(members, nonmembers, allowed);
            for caught in 0..=members {
                let long: f64 = (caught..=members).map(|k| probability(&null, k)).sum();
                assert!((null.p_value(caught) / long - 1.0).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_long_sum() {
        for (members, nonmembers, allowed) in [(15, 15, 4), (200, 50, 6), (9, 400, 30)] {
            let null = Null::new(members, nonmembers, allowed);
            let mean: f64 = (0..=members)
                .map(|k| k as f64 * probability(&null, k))
                .sum();
            let square: f64 = (0..=members)
                .map(|k| (k as f64).powi(2) * probability(&null, k))
                .sum();
            let (fast, deviation) = null.mean_and_deviation(|k| k as f64);
            assert!((fast / mean - 1.0).abs() < 1e-10);
            assert!((deviation / (square - mean * mean).sqrt() - 1.0).abs() < 1e-8);
        }
    }

    #[test]
    fn far_tails_stay_positive_at_a_million() {
        let p = Null::new(500_000, 500_000, 14).p_value(900);
        assert!(p > 0.0 && p < 1e-200);
        // One half to the power of the members caught, to first order.
        let p = Null::new(500_000, 500_000, 0).p_value(25);
        assert!((p.log2() + 25.0).abs() < 1e-2);
    }

    #[test]
    fn published_p_values() {
        // Yeom on WikiText-103 (14 at 14), Song on CIFAR-10 (10 at 10), Shokri on CIFAR-10 (30 at 10).
        assert!((Null::new(500_000, 500_000, 14).p_value(14) - 0.575).abs() < 1e-3);
        assert!((Null::new(25_000, 25_000, 10).p_value(10) - 0.588).abs() < 1e-3);
        assert!((Null::new(25_000, 25_000, 10).p_value(30) - 0.0011).abs() < 1e-4);
        assert!((Null::new(25_000, 25_000, 0).p_value(25) - 3e-8).abs() < 1e-9);
    }
}
