//! What β and ADS are where the mask means nothing: the same responses, handed to other rows.
//!
//! τ comes from permuting the responses without retrieval. The band of ADS comes from permuting
//! the *differences* r_on − r_off, each pair kept together: where retrieval never fires the two
//! arms may react to words, but alike, and their difference is noise that belongs to no row. The
//! arms permuted apart would lose what they have in common and make the band too wide.
//!
//! A word's weight is weighed by what the whole regression leaves unexplained: where every word
//! of a text moves the answer a little, the responses vary much and a permuted regression is all
//! noise, while the true one leaves next to nothing. (Weights as they are would be held against
//! the other words' work: with 64 rows no word of a text of 32 would ever be called, though every
//! one moves the answer. With as many words as rows, or more, nothing helps.)
//!
//! Words are pooled: the quantile is over all words of all permutations, the true order among
//! them. Under the null every order is as likely as the true one; of all values together no more
//! than the level's share lie beyond the quantile, so that in the mean over audits no more than
//! that share of words is called, whatever the masks, the ridge and the ties.

use stats::ridge_operator::{RidgeOperator, dot};
use stats::streams::{Seed, shuffle};

use super::rules::{Rules, Thresholds};

/// Permutations whose words are pooled; the totals take many more, which cost far less.
const FOR_WORDS: usize = 199;

/// A document's total, and what permutations make of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Totals {
    pub total: f64,
    pub p: f64,
    pub z: f64,
}

/// The totals held against those of permutations, and thresholds for words.
pub(super) struct Permuted {
    pub off: Totals,
    pub ads: Totals,
    words_off: Words,
    words_ads: Words,
}

impl Permuted {
    pub fn draw(
        operator: &RidgeOperator,
        off: &[f64],
        difference: &[f64],
        rules: &Rules,
        seed: Seed,
        document: u64,
    ) -> Self {
        let summed = operator.summed();
        let mut total_off = Test::new(&summed, off, |total| total);
        let mut total_ads = Test::new(&summed, difference, f64::abs);
        let mut words_off = Words::new(operator, off, |weight| weight);
        let mut words_ads = Words::new(operator, difference, f64::abs);
        let words = match rules.thresholds {
            Thresholds::Calibrated => FOR_WORDS,
            Thresholds::Fixed { .. } => 0,
        };
        let mut rng = seed.numbered("sma permutations", document);
        let mut order: Vec<usize> = (0..off.len()).collect();
        let (mut other_off, mut other_difference) = (off.to_vec(), difference.to_vec());
        let draws = rules.draws();
        for permutation in 0..draws {
            shuffle(&mut rng, &mut order);
            reorder(&mut other_off, off, &order);
            reorder(&mut other_difference, difference, &order);
            total_off.count(&other_off);
            total_ads.count(&other_difference);
            if permutation < words {
                words_off.add(operator, &other_off);
                words_ads.add(operator, &other_difference);
            }
        }
        Self {
            off: total_off.totals(draws),
            ads: total_ads.totals(draws),
            words_off,
            words_ads,
        }
    }

    /// τ and the band: no more than the level's share of the pool lies beyond each.
    pub fn thresholds(&mut self, level: f64) -> (f64, f64) {
        (
            self.words_off.threshold(level),
            self.words_ads.threshold(level),
        )
    }
}

fn reorder(into: &mut [f64], values: &[f64], order: &[usize]) {
    for (cell, &row) in into.iter_mut().zip(order) {
        *cell = values[row];
    }
}

/// Words of all permutations, the true order first.
struct Words {
    /// What makes a weight extreme: itself, or its size.
    side: fn(f64) -> f64,
    /// What the true regression leaves, as a deviation.
    left: f64,
    pool: Vec<f64>,
}

impl Words {
    fn new(operator: &RidgeOperator, values: &[f64], side: fn(f64) -> f64) -> Self {
        let mut words = Self {
            side,
            left: left(operator, values),
            pool: Vec::with_capacity((FOR_WORDS + 1) * operator.columns()),
        };
        words.add(operator, values);
        words
    }

    fn add(&mut self, operator: &RidgeOperator, values: &[f64]) {
        let (side, left) = (self.side, left(operator, values));
        let weighed = |weight: f64| match left > 0.0 {
            true => side(weight) / left,
            false => 0.0,
        };
        self.pool.extend(operator.weights(values).map(weighed));
    }

    /// On the scale of the weights, and a rounding error wider: a word that is itself the quantile
    /// is not beyond it.
    fn threshold(&mut self, level: f64) -> f64 {
        let beyond = quantile(&mut self.pool, 1.0 - level) * self.left;
        beyond + 1e-12 * beyond.abs()
    }
}

/// What a regression leaves, never less than the rounding of its values.
fn left(operator: &RidgeOperator, values: &[f64]) -> f64 {
    let all: f64 = values.iter().map(|value| value * value).sum();
    operator.left(values).sqrt().max(1e-12 * all.sqrt())
}

/// The ⌈share · count⌉-th smallest.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    let rank = (share * values.len() as f64).ceil() as usize;
    let place = rank.clamp(1, values.len()) - 1;
    *values.select_nth_unstable_by(place, f64::total_cmp).1
}

/// One total under permutation: Σ wᵢ·r of another row.
struct Test<'a> {
    summed: &'a [f64],
    /// What makes a total extreme: itself, or its size.
    side: fn(f64) -> f64,
    total: f64,
    mean: f64,
    deviation: f64,
    as_far: usize,
}

impl<'a> Test<'a> {
    /// Mean and variance over all permutations are known: n·w̄·r̄ and SS(w)·SS(r)/(n − 1).
    fn new(summed: &'a [f64], values: &[f64], side: fn(f64) -> f64) -> Self {
        let count = values.len() as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / count;
        let squares = |values: &[f64]| {
            let middle = mean(values);
            values
                .iter()
                .map(|value| (value - middle).powi(2))
                .sum::<f64>()
        };
        Self {
            summed,
            side,
            total: dot(summed, values),
            mean: count * mean(summed) * mean(values),
            deviation: (squares(summed) * squares(values) / (count - 1.0)).sqrt(),
            as_far: 0,
        }
    }

    fn count(&mut self, permuted: &[f64]) {
        let total = dot(self.summed, permuted);
        // Totals that are equal but for rounding count as equal.
        let far = (self.side)(self.total - self.mean) - 1e-9 * self.deviation;
        self.as_far += usize::from((self.side)(total - self.mean) >= far);
    }

    fn totals(self, permutations: usize) -> Totals {
        let beyond = self.total - self.mean;
        Totals {
            total: self.total,
            p: (1 + self.as_far) as f64 / (1 + permutations) as f64,
            // Without spread nothing lies anywhere but at the mean.
            z: match self.deviation > 0.0 {
                true => beyond / self.deviation,
                false => 0.0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::standard_normal;

    #[test]
    fn quantiles_leave_no_more_than_the_level_beyond() {
        let mut values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(quantile(&mut values, 0.95), 19.0);
        assert_eq!(quantile(&mut values, 0.951), 20.0);
        assert_eq!(quantile(&mut values, 0.0), 1.0);
        assert_eq!(quantile(&mut [0.0; 9], 0.95), 0.0);
    }

    #[test]
    fn the_deviation_over_permutations_is_that_of_many_draws() {
        let mut rng = Seed(2).stream("totals");
        let mut draw = || -> Vec<f64> { (0..12).map(|_| standard_normal(&mut rng)).collect() };
        let (summed, values) = (draw(), draw());
        let test = Test::new(&summed, &values, f64::abs);
        let mut order: Vec<usize> = (0..12).collect();
        let mut rng = Seed(2).stream("orders");
        let totals: Vec<f64> = (0..40_000)
            .map(|_| {
                shuffle(&mut rng, &mut order);
                summed
                    .iter()
                    .zip(&order)
                    .map(|(w, &row)| w * values[row])
                    .sum()
            })
            .collect();
        let mean = totals.iter().sum::<f64>() / 40_000.0;
        let squares = totals
            .iter()
            .map(|total| (total - mean).powi(2))
            .sum::<f64>();
        let deviation = (squares / 40_000.0).sqrt();
        assert!((mean - test.mean).abs() < 0.03 * test.deviation);
        assert!((deviation / test.deviation - 1.0).abs() < 0.02);
    }
}
