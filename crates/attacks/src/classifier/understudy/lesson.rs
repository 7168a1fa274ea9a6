//! Rows with known membership, and what is learnt from them: published scores weighed by logistic
//! regression to start with, and boosted trees for what those do not say.

use std::array::from_fn;

use rayon::prelude::*;
use stats::boosting::{Booster, Growth};
use stats::logistic::fit_logistic;
use stats::special::ln_sigmoid;
use stats::vectors::exp_of_nonpositive;
use stats::widest;

use super::rehearsal::Row;
use base::{Error, Result};

/// The ridge of the logistic regression: next to nothing against hundreds of rows.
const RIDGE: f64 = 1.0;

/// Rows whose losses one thread adds up: fixed, so that threads do not change a sum.
const ROWS_AT_ONCE: usize = 4096;

/// Drawn in, no score in single precision but an infinite one is larger.
const MOST: f64 = 100.0;

/// Examples to learn from, or to judge what was learnt from others.
pub struct Lesson<const D: usize> {
    features: Vec<[f32; D]>,
    labels: Vec<bool>,
    records: Vec<usize>,
}

/// Weights of a constant and of the first B − 1 features, and trees on all of them.
pub struct Learnt<const D: usize, const B: usize> {
    weights: [f64; B],
    booster: Booster<D>,
}

impl<const D: usize, const B: usize> Learnt<D, B> {
    /// The log-odds that a record with these features was trained on.
    pub fn margin(&self, features: &[f32; D]) -> f64 {
        start(&self.weights, features) + self.booster.margin(features)
    }

    /// Whether there is anything in it but a constant.
    pub fn tells(&self) -> bool {
        let trees = self.booster.trees() > 0;
        trees || self.weights[1..].iter().any(|&weight| weight != 0.0)
    }

    /// The mean log-odds over the scenes in which the record could be judged.
    pub fn mean_margin(&self, scenes: &[Vec<Option<[f32; D]>>], record: usize) -> Option<f64> {
        let played = scenes.iter().filter_map(|scene| scene[record].as_ref());
        let (sum, count) = played.fold((0.0, 0.0), |(sum, count), features| {
            (sum + self.margin(features), count + 1.0)
        });
        (count > 0.0).then(|| sum / count)
    }
}

impl<const D: usize> Lesson<D> {
    pub fn new<'a>(rows: impl Iterator<Item = &'a Row<D>>) -> Self {
        let mut lesson = Self {
            features: Vec::new(),
            labels: Vec::new(),
            records: Vec::new(),
        };
        for row in rows {
            lesson.features.push(row.features);
            lesson.labels.push(row.member);
            lesson.records.push(row.record);
        }
        lesson
    }

    pub fn len(&self) -> usize {
        self.labels.len()
    }

    pub fn teach<const B: usize>(
        &self,
        growth: Growth,
        proceed: impl Fn(usize) -> bool,
    ) -> Result<Learnt<D, B>> {
        let weights = self.weights();
        let features = self.features.par_iter();
        let starts: Vec<f64> = features.map(|row| start(&weights, row)).collect();
        match Booster::fit(&self.features, &starts, &self.labels, growth, proceed) {
            Some(booster) => Ok(Learnt { weights, booster }),
            None => Err(Error::interrupted()),
        }
    }

    /// None of the published scores has a weight where rehearsals would turn all of them upside
    /// down: mostly that is noise, and where it is not, trees find it.
    fn weights<const B: usize>(&self) -> [f64; B] {
        let rows: Vec<[f64; B]> = self.features.iter().map(scores).collect();
        let weights: Option<[f64; B]> = fit_logistic(&rows, &self.labels, RIDGE);
        // Single precision: the last digits hang on the order of the rows.
        let weights = weights.map(|all| all.map(|weight| f64::from(weight as f32)));
        let sensible = |weights: &[f64; B]| weights[1..].iter().any(|&weight| weight > 0.0);
        weights.filter(sensible).unwrap_or([0.0; B])
    }

    /// The total loss with no tree, with the first, the first two and so on.
    pub fn losses<const B: usize>(&self, learnt: &Learnt<D, B>) -> Vec<f64> {
        let features = self.features.par_chunks(ROWS_AT_ONCE);
        let parts = features.zip(self.labels.par_chunks(ROWS_AT_ONCE));
        let parts = parts.map(|(features, labels)| losses_of(features, labels, learnt));
        let parts: Vec<Vec<f64>> = parts.collect();
        let stages = parts.first().map_or(0, Vec::len);
        let sum = |stage: usize| parts.iter().map(|sums| sums[stage]).sum();
        (0..stages).map(sum).collect()
    }

    /// How much less each record loses with so many trees than with none.
    pub fn gains<const B: usize>(&self, learnt: &Learnt<D, B>, trees: usize) -> Vec<f64> {
        let gain = |(row, features): (usize, &[f32; D])| {
            let start = start(&learnt.weights, features);
            let trees = 0..trees.min(learnt.booster.trees());
            let added: f64 = trees
                .map(|tree| learnt.booster.tree_margin(tree, features))
                .sum();
            self.loss(row, start) - self.loss(row, start + added)
        };
        let of_rows: Vec<f64> = self.features.par_iter().enumerate().map(gain).collect();
        let mut gains = vec![0.0; self.records.iter().max().map_or(0, |most| most + 1)];
        for (&record, gain) in self.records.iter().zip(of_rows) {
            gains[record] += gain;
        }
        gains
    }

    fn loss(&self, row: usize, margin: f64) -> f64 {
        -ln_sigmoid(if self.labels[row] { margin } else { -margin })
    }
}

/// Tree by tree, so that the rows and one tree stay in the nearest memory.
fn losses_of<const D: usize, const B: usize>(
    features: &[[f32; D]],
    labels: &[bool],
    learnt: &Learnt<D, B>,
) -> Vec<f64> {
    let starts: Vec<f64> = features
        .iter()
        .map(|row| start(&learnt.weights, row))
        .collect();
    let mut added = vec![0.0; features.len()];
    let mut sums = vec![total_loss(&starts, &added, labels)];
    for tree in 0..learnt.booster.trees() {
        for (sum, row) in added.iter_mut().zip(features) {
            *sum += learnt.booster.tree_margin(tree, row);
        }
        sums.push(total_loss(&starts, &added, labels));
    }
    sums
}

/// Losses that are multiplied before a logarithm is taken: 2 to this power is still a number.
const FACTORS: usize = 512;
const LANES: usize = 8;

widest! {
    /// Σ ln(1 + e^∓margin). Of x = ∓margin that is max(x, 0) + ln(1 + e^−|x|), and the sum of logarithms is the
    /// logarithm of the product, lane by lane.
    fn total_loss(starts: &[f64], added: &[f64], labels: &[bool]) -> f64 {
        let mut total = 0.0;
        let parts = starts.chunks(FACTORS * LANES).zip(added.chunks(FACTORS * LANES));
        for ((starts, added), labels) in parts.zip(labels.chunks(FACTORS * LANES)) {
            let (mut sums, mut products) = ([0.0; LANES], [1.0; LANES]);
            let rows = starts.chunks(LANES).zip(added.chunks(LANES)).zip(labels.chunks(LANES));
            for ((starts, added), labels) in rows {
                for i in 0..starts.len() {
                    let margin = starts[i] + added[i];
                    let wrong = if labels[i] { -margin } else { margin };
                    sums[i] += if wrong > 0.0 { wrong } else { 0.0 };
                    products[i] *= 1.0 + exp_of_nonpositive(-wrong.abs());
                }
            }
            for i in 0..LANES {
                total += sums[i] + products[i].ln();
            }
        }
        total
    }
}

fn start<const D: usize, const B: usize>(weights: &[f64; B], features: &[f32; D]) -> f64 {
    let scores: [f64; B] = scores(features);
    scores
        .iter()
        .zip(weights)
        .map(|(score, weight)| score * weight)
        .sum()
}

/// A constant and the first features, their tails drawn in.
fn scores<const D: usize, const B: usize>(features: &[f32; D]) -> [f64; B] {
    from_fn(|place| match place.checked_sub(1) {
        None => 1.0,
        Some(feature) => {
            let value = f64::from(features[feature]);
            let drawn_in = value.abs().ln_1p().copysign(value);
            if value.is_nan() {
                0.0
            } else {
                drawn_in.clamp(-MOST, MOST)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::streams::{Seed, standard_normal, uniform};
    use stats::vectors::at_every_width;

    #[test]
    fn the_total_loss_is_that_of_the_rows_one_by_one() {
        let mut rng = Seed(4).stream("losses");
        for rows in [0, 1, 7, 8, 4096, 4096 + 13] {
            let starts: Vec<f64> = (0..rows)
                .map(|_| 20.0 * standard_normal(&mut rng))
                .collect();
            let added: Vec<f64> = (0..rows).map(|_| standard_normal(&mut rng)).collect();
            let labels: Vec<bool> = (0..rows).map(|_| uniform(&mut rng) < 0.4).collect();
            let slow: f64 = (0..rows)
                .map(|row| {
                    let margin = starts[row] + added[row];
                    -ln_sigmoid(if labels[row] { margin } else { -margin })
                })
                .sum();
            let fast = total_loss(&starts, &added, &labels);
            assert!((fast - slow).abs() <= 1e-12 * slow, "{rows}: {fast} {slow}");
            let widths = at_every_width(|| total_loss(&starts, &added, &labels));
            assert!(widths.iter().all(|other| other.to_bits() == fast.to_bits()));
        }
        // Margins at zero, where every factor is two.
        let zeros = vec![0.0; 4096];
        let fast = total_loss(&zeros, &zeros, &vec![true; 4096]);
        assert!((fast / (4096.0 * std::f64::consts::LN_2) - 1.0).abs() < 1e-13);
    }
}
