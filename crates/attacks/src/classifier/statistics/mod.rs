//! Sufficient statistics of every record, computed block by block, once, for all attacks.

pub(crate) mod block;
mod estimator;
mod moments;
mod shape;
mod simd;

use std::array::from_fn;

use rayon::prelude::*;
use stats::special::{ln_sigmoid, log_sum_exp};
use stats::vectors::{ln_sigmoids, logarithms};

pub use self::block::Column;
use self::block::{Block, LANES, Lanes, LineBuffer, Tile, block_records};
pub use self::estimator::{ESTIMATOR, Estimator, TRIM};
pub use self::moments::Moments;
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

/// What is known of one record.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordStatistics {
    /// φ under the audited model.
    pub target: f64,
    /// ln p of the true label under the audited model.
    pub ln_p: f64,
    /// Shadows that trained on the record.
    pub inside: Moments,
    /// Shadows that did not.
    pub outside: Moments,
    /// All shadows.
    pub pooled: Moments,
    /// ln of the mean probability over all shadows.
    pub ln_mean_probability: f64,
    /// ln of the mean probability over OUT shadows.
    pub ln_mean_probability_outside: f64,
    /// OUT shadows with a φ below the target's.
    pub outside_below: f64,
}

/// The statistics of all records, and of all shadow observations of a class together.
#[derive(Debug)]
pub struct Statistics {
    pub records: Vec<RecordStatistics>,
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
        // In parallel, because touching fresh memory is a good part of the work.
        let mut records: Vec<RecordStatistics> =
            rayon::iter::repeat_n(RecordStatistics::default(), signals.records()).collect();
        let totals = records
            .par_chunks_mut(size)
            .enumerate()
            .map_init(Scratch::default, |scratch, (index, out)| {
                if progress.cancelled() {
                    return Err(Error::interrupted());
                }
                let first = index * size;
                let range = first..first + out.len();
                scratch
                    .block
                    .load(signals, range, augmentation, Rescale::Exact);
                let totals = scratch.summarise(wants, estimator, out);
                progress.advance(out.len());
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
    sigmoids: Sigmoids,
}

impl Scratch {
    /// Fills in the records of the loaded block; returns the moments of all its observations.
    fn summarise(
        &mut self,
        wants: Wants,
        estimator: Estimator,
        out: &mut [RecordStatistics],
    ) -> (Moments, Moments) {
        for ((tile, target), out) in self.block.tiles().zip(out.chunks_mut(LANES)) {
            let mut ln_p = Lanes::default();
            ln_sigmoids(target, &mut ln_p);
            for ((record, &target), ln_p) in out.iter_mut().zip(target).zip(ln_p) {
                record.target = target;
                record.ln_p = ln_p;
            }
            moments(tile, target, out);
            if wants.probabilities {
                self.sigmoids.sum(tile, out);
            }
        }
        let totals = out
            .iter()
            .fold((Moments::default(), Moments::default()), |sum, record| {
                (sum.0.merge(record.inside), sum.1.merge(record.outside))
            });
        if wants.probabilities {
            self.vanishing_probabilities(out);
        }
        if estimator != Estimator::MaximumLikelihood {
            self.estimate(estimator, out);
        }
        totals
    }

    /// Where every probability underflows, the sum is taken again in the log domain.
    fn vanishing_probabilities(&mut self, out: &mut [RecordStatistics]) {
        let vanished = |record: &RecordStatistics| {
            let least = stats::vectors::VANISHING.ln();
            record.ln_mean_probability < least || record.ln_mean_probability_outside < least
        };
        for (i, record) in out
            .iter_mut()
            .enumerate()
            .filter(|(_, record)| vanished(record))
        {
            self.block.column(i, &mut self.column);
            let ln_p: Vec<f64> = self.column.phi.iter().map(|&phi| ln_sigmoid(phi)).collect();
            let ln_p_out: Vec<f64> = self.column.class(false).map(ln_sigmoid).collect();
            record.ln_mean_probability = log_sum_exp(&ln_p) - record.pooled.n.ln();
            record.ln_mean_probability_outside = log_sum_exp(&ln_p_out) - record.outside.n.ln();
        }
    }

    fn estimate(&mut self, estimator: Estimator, out: &mut [RecordStatistics]) {
        for (i, record) in out.iter_mut().enumerate() {
            self.block.column(i, &mut self.column);
            record.inside = estimator.apply(record.inside, self.column.class(true));
            record.outside = estimator.apply(record.outside, self.column.class(false));
            record.pooled = estimator.apply(record.pooled, self.column.phi.iter().copied());
        }
    }
}

/// Two passes, means first: no cancellation, whatever the location of φ.
fn moments(tile: Tile, target: &Lanes, out: &mut [RecordStatistics]) {
    let shadows = tile.rows().count() as f64;
    let sums = simd::sums(tile);
    // An empty class has no mean; it takes part with weight 0, so any number does.
    let mean = |sum: f64, n: f64| if n == 0.0 { 0.0 } else { sum / n };
    let mean_in = from_fn(|i| mean(sums.sum_in[i], sums.count_in[i]));
    let mean_out = from_fn(|i| mean(sums.sum_out[i], shadows - sums.count_in[i]));
    let spreads = simd::spreads(tile, &mean_in, &mean_out, target);
    for (i, record) in out.iter_mut().enumerate() {
        record.inside = Moments {
            n: sums.count_in[i],
            mean: mean_in[i],
            scatter: spreads.square_in[i],
        };
        record.outside = Moments {
            n: shadows - sums.count_in[i],
            mean: mean_out[i],
            scatter: spreads.square_out[i],
        };
        record.pooled = record.inside.merge(record.outside);
        record.outside_below = spreads.below[i];
    }
}

/// p and q = 1 − p of one tile under every shadow.
#[derive(Default)]
struct Sigmoids {
    p: LineBuffer,
    q: LineBuffer,
}

impl Sigmoids {
    /// Fills in the mean probabilities of a tile's records.
    fn sum(&mut self, tile: Tile, out: &mut [RecordStatistics]) {
        let phi = tile.phi();
        self.p.resize(phi.len());
        self.q.resize(phi.len());
        let (p, q) = (self.p.lanes_mut(), self.q.lanes_mut());
        simd::sigmoids(
            phi.as_flattened(),
            p.as_flattened_mut(),
            q.as_flattened_mut(),
        );
        let sums = simd::probabilities(tile, p, q);
        let counts = |n: fn(&RecordStatistics) -> f64| from_fn(|i| out.get(i).map_or(1.0, n));
        let all = ln_means(&sums.p_all, &sums.q_all, &counts(|record| record.pooled.n));
        let outside = ln_means(&sums.p_out, &sums.q_out, &counts(|record| record.outside.n));
        for (i, record) in out.iter_mut().enumerate() {
            record.ln_mean_probability = all[i];
            record.ln_mean_probability_outside = outside[i];
        }
    }
}

/// ln(Σp/n) from whichever of Σp and Σq keeps its digits: of Σq as ln(1 − Σq/n), where what one less a small
/// number loses is made good.
fn ln_means(p_sums: &Lanes, q_sums: &Lanes, n: &Lanes) -> Lanes {
    let mut of = Lanes::default();
    let mut lost = Lanes::default();
    for i in 0..LANES {
        let (p, q) = (p_sums[i] / n[i], q_sums[i] / n[i]);
        let near_one = q_sums[i] < p_sums[i];
        of[i] = if near_one { 1.0 - q } else { p };
        lost[i] = if near_one {
            (1.0 - of[i] - q) / of[i]
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
