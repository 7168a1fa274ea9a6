//! Quantiles of the shadows' φ beside those of a normal: where the Gaussian attacks go wrong.
//!
//! Every record's values are standardised within its class by their own mean and deviation and
//! pooled over records. Dividing by a deviation that came from the same few values shrinks the
//! tails, so that even a true normal would not lie on the diagonal of the usual plot. Two things
//! put it there: residuals are multiplied by √(n/(n−1)), which gives them variance one at any n,
//! and the normal quantiles are those of residuals of *normal samples of the same sizes*
//! ([`stats::normality::residual_sf`], weighted by how many values came from samples of each
//! size), which tend to those of N(0, 1) as n grows.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use stats::normal::normal_cdf;
use stats::normality::residual_sf;

/// Cells of the histogram per unit, and how far it reaches on either side. Residuals beyond are
/// counted in the last cell; only samples of more than 256 values can have any.
const CELLS_PER_UNIT: usize = 512;
const REACH: usize = 16;
const CELLS: usize = 2 * REACH * CELLS_PER_UNIT;

/// Quantiles are taken where N(0, 1) has −3 to 3, in steps of an eighth.
const STEPS_PER_UNIT: i32 = 8;
const FARTHEST: i32 = 3;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Qq {
    /// Values pooled.
    pub values: u64,
    pub points: Vec<QqPoint>,
}

/// One quantile.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QqPoint {
    /// The share of values below.
    pub probability: f64,
    /// Where normal samples of the same sizes have it.
    pub normal: f64,
    pub observed: f64,
}

/// A histogram of residuals: whole counts, so that the order of adding does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Empty until the first record comes.
    cells: Vec<u64>,
    /// How many samples there were of each size.
    sizes: BTreeMap<usize, u64>,
}

impl Residuals {
    /// Adds a sample that was standardised by its own mean and deviation.
    pub fn add(&mut self, standardised: &[f64]) {
        self.cells.resize(CELLS, 0);
        let n = standardised.len() as f64;
        let unit = (n / (n - 1.0)).sqrt() * CELLS_PER_UNIT as f64;
        for &value in standardised {
            // Casting cuts off what lies outside.
            let cell = (value * unit).floor() + (CELLS / 2) as f64;
            self.cells[(cell as usize).min(CELLS - 1)] += 1;
        }
        *self.sizes.entry(standardised.len()).or_default() += 1;
    }

    pub fn merge(mut self, other: Self) -> Self {
        if self.cells.is_empty() {
            return other;
        }
        for (cell, more) in self.cells.iter_mut().zip(other.cells) {
            *cell += more;
        }
        for (size, more) in other.sizes {
            *self.sizes.entry(size).or_default() += more;
        }
        self
    }

    /// The quantiles, less those beyond which not even one value is expected.
    pub fn quantiles(&self) -> Qq {
        let values: u64 = self.cells.iter().sum();
        let at = |step: i32| f64::from(step) / f64::from(STEPS_PER_UNIT);
        let is_seen = |step: &i32| normal_cdf(-at(*step)) * values as f64 >= 1.0;
        let outward = (0..=FARTHEST * STEPS_PER_UNIT).take_while(is_seen);
        let outward: Vec<f64> = outward.map(at).collect();
        let expected: Vec<(f64, f64)> = outward
            .into_par_iter()
            .map(|at| (at, self.expected(at)))
            .collect();
        let left = expected
            .iter()
            .skip(1)
            .rev()
            .map(|(at, normal)| (-at, -normal));
        let points = left.chain(expected.iter().copied());
        Qq {
            values,
            points: points
                .map(|(at, normal)| QqPoint {
                    probability: normal_cdf(at),
                    normal,
                    observed: self.observed(normal_cdf(at) * values as f64),
                })
                .collect(),
        }
    }

    /// The residual below which so many values lie; within a cell they are spread evenly.
    fn observed(&self, below: f64) -> f64 {
        let mut passed = 0.0;
        for (cell, &count) in self
            .cells
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
        {
            let count = count as f64;
            if passed + count >= below {
                let place = cell as f64 + (below - passed) / count;
                return place / CELLS_PER_UNIT as f64 - REACH as f64;
            }
            passed += count;
        }
        REACH as f64
    }

    /// The quantile of normal samples of these sizes that N(0, 1) has at `point`, from 0 up.
    fn expected(&self, point: f64) -> f64 {
        let beyond = normal_cdf(-point);
        let excess = |residual: f64| self.share_above(residual) - beyond;
        crossing(0.0, point + 1.0, excess)
    }

    /// How large a share of the values would lie above if all samples were normal.
    fn share_above(&self, residual: f64) -> f64 {
        let weight = |(&size, &samples): (&usize, &u64)| (size as u64 * samples) as f64;
        let total: f64 = self.sizes.iter().map(weight).sum();
        let above = |entry: (&usize, &u64)| weight(entry) * residual_sf(residual, *entry.0);
        self.sizes.iter().map(above).sum::<f64>() / total
    }
}

/// Where a falling function crosses zero: false position, where an end that stays twice counts
/// half (Illinois; Dowell and Jarratt 1971).
fn crossing(low: f64, high: f64, falling: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = ((low, falling(low)), (high, falling(high)));
    let mut found = low.0;
    for _ in 0..60 {
        if low.1 == high.1 || high.0 - low.0 < 1e-10 {
            break;
        }
        found = low.0 + (high.0 - low.0) * low.1 / (low.1 - high.1);
        let value = falling(found);
        if value.abs() < 1e-13 {
            break;
        }
        if value > 0.0 {
            low = (found, value);
            high.1 *= 0.5;
        } else {
            high = (found, value);
            low.1 *= 0.5;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::normality::standardise;
    use stats::streams::{Seed, standard_normal};

    fn pooled(records: u64, size: impl Fn(u64) -> usize, bend: impl Fn(f64) -> f64) -> Residuals {
        let mut pooled = Residuals::default();
        for record in 0..records {
            let mut stream = Seed(3).numbered("residuals", record);
            let draws = (0..size(record)).map(|_| bend(standard_normal(&mut stream)));
            let mut sample: Vec<f64> = draws.collect();
            assert!(standardise(&mut sample));
            pooled.add(&sample);
        }
        pooled
    }

    #[test]
    fn true_normals_of_any_size_lie_on_the_diagonal() {
        for size in [8, 12, 60] {
            let qq = pooled(240_000 / size as u64, |_| size, |x| 5.0 - 2.0 * x).quantiles();
            assert_eq!(qq.points.len(), 49);
            for point in &qq.points {
                // Tails of 240,000 values are known to about 1.5%.
                let allowed = 0.012 + 0.012 * point.normal.abs();
                let apart = (point.observed - point.normal).abs();
                assert!(apart < allowed, "{size}: {point:?}");
            }
        }
    }

    #[test]
    fn the_reference_is_that_of_the_sizes_and_tends_to_the_normal() {
        let at_three = |size: usize| pooled(1000, |_| size, |x| x).expected(3.0);
        // |R| is at most √(n−1); N(0, 1) has no such end.
        assert!(at_three(8) < 7f64.sqrt());
        assert!(at_three(8) < at_three(32) && at_three(32) < 3.0);
        assert!((at_three(4000) - 3.0).abs() < 0.002);
        let mixed = pooled(1000, |record| if record % 2 == 0 { 8 } else { 32 }, |x| x);
        assert!(at_three(8) < mixed.expected(3.0) && mixed.expected(3.0) < at_three(32));
        assert_eq!(mixed.expected(0.0), 0.0);
        let points = mixed.quantiles().points;
        let mut mirrored = points.iter().zip(points.iter().rev());
        assert!(mirrored.all(|(a, b)| a.normal == -b.normal));
        assert!(points.is_sorted_by(|a, b| a.normal < b.normal && a.observed <= b.observed));
    }

    #[test]
    fn the_crossing_is_the_one_bisection_finds() {
        let pooled = pooled(50, |record| 8 + record as usize % 40, |x| x);
        for point in [0.125, 1.0, 2.0, 3.0] {
            let beyond = normal_cdf(-point);
            let (mut low, mut high) = (0.0, 8.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if pooled.share_above(middle) > beyond {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            assert!((pooled.expected(point) - low).abs() < 1e-8, "{point}");
        }
    }

    #[test]
    fn observed_quantiles_are_those_of_the_sorted_values() {
        let mut pooled = Residuals::default();
        let mut all = Vec::new();
        for record in 0..400 {
            let mut stream = Seed(8).numbered("quantiles", record);
            let mut sample: Vec<f64> = (0..30)
                .map(|_| standard_normal(&mut stream).exp())
                .collect();
            assert!(standardise(&mut sample));
            pooled.add(&sample);
            all.extend(sample.iter().map(|x| x * (30f64 / 29.0).sqrt()));
        }
        all.sort_by(f64::total_cmp);
        for point in pooled.quantiles().points {
            let place = (point.probability * all.len() as f64) as usize;
            let around = &all[place.saturating_sub(2)..(place + 3).min(all.len())];
            let cell = 1.0 / CELLS_PER_UNIT as f64;
            assert!(point.observed >= around[0] - cell, "{point:?} {around:?}");
            assert!(
                point.observed <= around[around.len() - 1] + cell,
                "{point:?} {around:?}"
            );
        }
    }

    #[test]
    fn the_order_of_merging_does_not_matter() {
        let parts = || [4, 9, 20].map(|size| pooled(size, |r| 8 + r as usize, f64::exp));
        let [a, b, c] = parts();
        let forwards = a.merge(b).merge(c);
        let [a, b, c] = parts();
        let backwards = Residuals::default().merge(c).merge(b.merge(a));
        assert_eq!(forwards, backwards);
        assert_eq!(forwards.clone().merge(Residuals::default()), forwards);
    }

    #[test]
    fn few_values_have_no_far_quantiles_and_none_has_no_points() {
        assert!(Residuals::default().quantiles().points.is_empty());
        let few = pooled(2, |_| 10, |x| x).quantiles();
        assert!(few.points.len() < 30 && few.points.iter().all(|p| p.normal.abs() < 2.0));
        let wide = pooled(1, |_| 5000, |x| x.powi(15)).quantiles();
        assert!(wide.points.iter().all(|p| p.observed.abs() <= REACH as f64));
    }
}
