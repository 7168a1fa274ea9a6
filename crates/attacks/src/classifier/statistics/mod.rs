//! Sufficient statistics of every record, computed block by block, once, for all attacks.

pub(crate) mod block;
mod estimator;
mod moments;
mod records;
mod shape;
mod simd;

use std::array::from_fn;

use rayon::prelude::*;
use stats::special::{ln_sigmoid, log_sum_exp};
use stats::vectors::{ln_sigmoids, logarithms};

pub use self::block::Column;
use self::block::{Block, LANES, Lanes, Stored, Tile, block_records};
pub use self::estimator::{ESTIMATOR, Estimator, TRIM};
pub use self::moments::Moments;
use self::records::Eight;
pub use self::records::{RecordStatistics, Records};
pub use self::shape::{Shape, Shapes, ln_loss};
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::Progress;
use base::{Error, Result};

/// Which statistics someone will look at. Moments are always there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Mean probabilities over shadows.
    pub probabilities: bool,
    /// Means of loss, log-loss and log-complement per class.
    pub shapes: bool,
}

impl Wants {
    pub const MOMENTS: Wants = Wants {
        probabilities: false,
        shapes: false,
    };
    pub const PROBABILITIES: Wants = Wants {
        probabilities: true,
        ..Wants::MOMENTS
    };
    pub const SHAPES: Wants = Wants {
        shapes: true,
        ..Wants::MOMENTS
    };

    pub fn union(self, other: Wants) -> Wants {
        Wants {
            probabilities: self.probabilities || other.probabilities,
            shapes: self.shapes || other.shapes,
        }
    }
}

/// The statistics of all records, and of all shadow observations of a class together.
#[derive(Debug)]
pub struct Statistics {
    pub records: Records,
    /// Every IN observation of every record as one sample.
    pub all_inside: Moments,
    /// Every OUT observation of every record as one sample.
    pub all_outside: Moments,
}

impl Statistics {
    /// One pass over the signals of one augmentation.
    pub fn compute(
        signals: &ShadowSignals,
        augmentation: usize,
        wants: Wants,
        estimator: Estimator,
        progress: Progress<'_>,
    ) -> Result<Self> {
        let size = block_records(signals.shadows.len());
        let mut records = Records::of(signals.records());
        let totals = records
            .eights_mut()
            .par_chunks_mut(size / LANES)
            .enumerate()
            .map_init(Scratch::default, |scratch, (index, out)| {
                if progress.cancelled() {
                    return Err(Error::interrupted());
                }
                let first = index * size;
                let range = first..signals.records().min(first + size);
                let count = range.len();
                scratch
                    .block
                    .load(signals, range, augmentation, Rescale::Exact);
                let totals = scratch.summarise(wants, estimator, out);
                progress.advance(count);
                Ok(totals)
            })
            .collect::<Result<Vec<_>>>()?;
        let zero = (Moments::default(), Moments::default());
        let (all_inside, all_outside) = totals.into_iter().fold(zero, |sum, block| {
            (sum.0.merge(block.0), sum.1.merge(block.1))
        });
        Ok(Self {
            records,
            all_inside,
            all_outside,
        })
    }
}

/// One thread's working memory.
#[derive(Default)]
struct Scratch {
    block: Block,
    column: Column,
    run: simd::Run,
}

impl Scratch {
    /// Fills in the records of the loaded block; returns the moments of all its observations.
    fn summarise(
        &mut self,
        wants: Wants,
        estimator: Estimator,
        out: &mut [Eight],
    ) -> (Moments, Moments) {
        if self.block.in_singles() {
            self.sum::<f32>(wants, out);
        } else {
            self.sum::<f64>(wants, out);
        }
        let zero = (Moments::default(), Moments::default());
        let totals = (0..self.block.len()).fold(zero, |sum, record| {
            let (eight, lane) = (&out[record / LANES], record % LANES);
            let (inside, outside) = (eight.inside.get(lane), eight.outside.get(lane));
            (sum.0.merge(inside), sum.1.merge(outside))
        });
        if wants.probabilities {
            self.vanishing_probabilities(out);
        }
        if estimator != Estimator::MaximumLikelihood {
            self.estimate(estimator, out);
        }
        totals
    }

    fn sum<T: Stored>(&mut self, wants: Wants, out: &mut [Eight]) {
        for ((tile, target), out) in self.block.tiles::<T>().zip(out) {
            out.target = *target;
            ln_sigmoids(target, &mut out.ln_p);
            let (inside, outside) = tile.firsts();
            let from = simd::Origins {
                inside,
                outside,
                target: *target,
            };
            if wants.probabilities {
                let (sums, probabilities) =
                    simd::sums_and_probabilities(tile, &from, &mut self.run);
                moments(tile, &from, &sums, out);
                out.ln_mean_probability = ln_means(&probabilities.all, &out.pooled.n);
                out.ln_mean_probability_outside = ln_means(&probabilities.outside, &out.outside.n);
            } else {
                moments(tile, &from, &simd::sums(tile, &from), out);
            }
        }
    }

    /// Where every probability underflows, the sum is taken again in the log domain.
    fn vanishing_probabilities(&mut self, out: &mut [Eight]) {
        let least = stats::vectors::VANISHING.ln();
        let vanished = |value: &f64| *value < least;
        for (tile, eight) in out.iter_mut().enumerate() {
            let values = eight.ln_mean_probability.iter();
            if !values
                .chain(&eight.ln_mean_probability_outside)
                .any(vanished)
            {
                continue;
            }
            let lanes = LANES.min(self.block.len() - tile * LANES);
            for lane in 0..lanes {
                let means = [
                    eight.ln_mean_probability[lane],
                    eight.ln_mean_probability_outside[lane],
                ];
                if !means.iter().any(vanished) {
                    continue;
                }
                self.block.column(tile * LANES + lane, &mut self.column);
                let ln_p: Vec<f64> = self.column.phi.iter().map(|&phi| ln_sigmoid(phi)).collect();
                let ln_p_out: Vec<f64> = self.column.class(false).map(ln_sigmoid).collect();
                eight.ln_mean_probability[lane] = log_sum_exp(&ln_p) - eight.pooled.n[lane].ln();
                eight.ln_mean_probability_outside[lane] =
                    log_sum_exp(&ln_p_out) - eight.outside.n[lane].ln();
            }
        }
    }

    fn estimate(&mut self, estimator: Estimator, out: &mut [Eight]) {
        for record in 0..self.block.len() {
            let (eight, lane) = (&mut out[record / LANES], record % LANES);
            self.block.column(record, &mut self.column);
            let (inside, outside) = (self.column.class(true), self.column.class(false));
            let all = self.column.phi.iter().copied();
            for (moments, values) in [
                (&mut eight.inside, inside.collect::<Vec<_>>()),
                (&mut eight.outside, outside.collect()),
                (&mut eight.pooled, all.collect()),
            ] {
                let plain = moments.get(lane);
                moments.set(lane, estimator.apply(plain, values.into_iter()));
            }
        }
    }
}

/// Sums of squares about an origin keep their digits while the mean is not much further from it than the values
/// from each other: so many variances at most.
const FAR: f64 = 100.0;

/// From the sums of one pass; of classes whose origin lies too far off, from a second one about the means.
fn moments<T: Stored>(tile: Tile<T>, from: &simd::Origins, sums: &simd::Sums, out: &mut Eight) {
    let shadows = tile.shadows() as f64;
    // An empty class has no mean; it takes part with weight 0, so any number does.
    let about = |origin: f64, sum: f64, square: f64, n: f64| {
        let apart = if n == 0.0 { 0.0 } else { sum / n };
        let mean = if n == 0.0 { 0.0 } else { origin + apart };
        let scatter = square - sum * apart;
        let near = sum * sum <= FAR * n * scatter;
        (Moments { n, mean, scatter }, near)
    };
    let (mut near_in, mut near_out) = ([true; LANES], [true; LANES]);
    for i in 0..LANES {
        let n = sums.count_out[i] as f64;
        let (inside, near) = about(
            from.inside[i],
            sums.inside[i],
            sums.square_in[i],
            shadows - n,
        );
        near_in[i] = near;
        let (outside, near) = about(from.outside[i], sums.outside[i], sums.square_out[i], n);
        near_out[i] = near;
        out.inside.set(i, inside);
        out.outside.set(i, outside);
        out.outside_below[i] = sums.below[i] as f64;
    }
    if near_in.iter().chain(&near_out).any(|near| !near) {
        let spreads = simd::spreads(tile, &out.inside.mean, &out.outside.mean);
        // Each by itself: what one is must not depend on its neighbours.
        for i in 0..LANES {
            if !near_in[i] {
                out.inside.scatter[i] = spreads.square_in[i];
            }
            if !near_out[i] {
                out.outside.scatter[i] = spreads.square_out[i];
            }
        }
    }
    for i in 0..LANES {
        out.pooled
            .set(i, out.inside.get(i).merge(out.outside.get(i)));
    }
}

/// ln(Σp/n) from whichever of Σp and Σ(1 − p) is smaller: of the latter as ln(1 − Σ(1 − p)/n), where what one less
/// a small number loses is made good.
fn ln_means(sums: &simd::Probabilities, n: &Lanes) -> Lanes {
    let mut of = Lanes::default();
    let mut lost = Lanes::default();
    for i in 0..LANES {
        let (ones, apart) = (sums.ones[i] as f64, sums.apart[i]);
        let (p, q) = ((ones + apart) / n[i], (n[i] - ones - apart) / n[i]);
        let whole = 1.0 - q;
        let near_one = q < p;
        of[i] = if near_one { whole } else { p };
        lost[i] = if near_one {
            (1.0 - whole - q) / whole
        } else {
            0.0
        };
    }
    let mut means = Lanes::default();
    logarithms(&of, &mut means);
    from_fn(|i| means[i] + lost[i])
}

#[cfg(test)]
mod tests;
