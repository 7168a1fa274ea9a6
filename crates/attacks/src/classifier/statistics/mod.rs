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
use self::block::{Block, LANES, Lanes, Mask, Stored, Tile, block_records};
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
    run: simd::Run,
}

impl Scratch {
    /// Fills in the records of the loaded block; returns the moments of all its observations.
    fn summarise(
        &mut self,
        wants: Wants,
        estimator: Estimator,
        out: &mut [RecordStatistics],
    ) -> (Moments, Moments) {
        if self.block.in_singles() {
            self.sum::<f32>(wants, out);
        } else {
            self.sum::<f64>(wants, out);
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

    fn sum<T: Stored>(&mut self, wants: Wants, out: &mut [RecordStatistics]) {
        for ((tile, target), out) in self.block.tiles::<T>().zip(out.chunks_mut(LANES)) {
            let mut ln_p = Lanes::default();
            ln_sigmoids(target, &mut ln_p);
            for ((record, &target), ln_p) in out.iter_mut().zip(target).zip(ln_p) {
                record.target = target;
                record.ln_p = ln_p;
            }
            let (inside, outside) = tile.firsts();
            let from = simd::Origins {
                inside,
                outside,
                target: *target,
            };
            if wants.probabilities {
                let flipped = outside.map(|phi| !phi.to_bits() & SIGN);
                let (sums, probabilities) =
                    simd::sums_and_probabilities(tile, &from, &flipped, &mut self.run);
                moments(tile, &from, &sums, out);
                mean_probabilities(&probabilities, &flipped, out);
            } else {
                moments(tile, &from, &simd::sums(tile, &from), out);
            }
        }
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

/// The bit of a number's sign.
const SIGN: u64 = 1 << 63;

/// Sums of squares about an origin keep their digits while the mean is not much further from it than the values
/// from each other: so many variances at most.
const FAR: f64 = 100.0;

/// From the sums of one pass; where an origin lies too far off, in a second one about the means.
fn moments<T: Stored>(
    tile: Tile<T>,
    from: &simd::Origins,
    sums: &simd::Sums,
    out: &mut [RecordStatistics],
) {
    let shadows = tile.shadows() as f64;
    // An empty class has no mean; it takes part with weight 0, so any number does.
    let about = |origin: f64, sum: f64, square: f64, n: f64| {
        if n == 0.0 {
            return Moments::default();
        }
        let apart = sum / n;
        Moments {
            n,
            mean: origin + apart,
            scatter: square - sum * apart,
        }
    };
    let near = |sum: f64, moments: Moments| sum * sum <= FAR * moments.n * moments.scatter;
    let mut is_near = true;
    for (i, record) in out.iter_mut().enumerate() {
        let count_out = sums.count_out[i] as f64;
        record.inside = about(
            from.inside[i],
            sums.inside[i],
            sums.square_in[i],
            shadows - count_out,
        );
        record.outside = about(
            from.outside[i],
            sums.outside[i],
            sums.square_out[i],
            count_out,
        );
        is_near &= near(sums.inside[i], record.inside) && near(sums.outside[i], record.outside);
        record.outside_below = sums.below[i] as f64;
    }
    if !is_near {
        let mean = |of: fn(&RecordStatistics) -> f64| from_fn(|i| out.get(i).map_or(0.0, of));
        let (mean_in, mean_out) = (mean(|own| own.inside.mean), mean(|own| own.outside.mean));
        let spreads = simd::spreads(tile, &mean_in, &mean_out);
        for (i, record) in out.iter_mut().enumerate() {
            record.inside.scatter = spreads.square_in[i];
            record.outside.scatter = spreads.square_out[i];
        }
    }
    for record in out {
        record.pooled = record.inside.merge(record.outside);
    }
}

/// Fills in the mean probabilities of a tile's records: from Σp, or from Σ(1 − p) where the first OUT shadow
/// thinks p large, for what is small keeps its digits.
fn mean_probabilities(sums: &simd::Probabilities, flipped: &Mask, out: &mut [RecordStatistics]) {
    let counts = |n: fn(&RecordStatistics) -> f64| from_fn(|i| out.get(i).map_or(1.0, n));
    let all = ln_means(&sums.all, flipped, &counts(|record| record.pooled.n));
    let outside = ln_means(&sums.outside, flipped, &counts(|record| record.outside.n));
    for (i, record) in out.iter_mut().enumerate() {
        record.ln_mean_probability = all[i];
        record.ln_mean_probability_outside = outside[i];
    }
}

/// ln(Σp/n), of Σq as ln(1 − Σq/n), where what one less a small number loses is made good.
fn ln_means(sums: &Lanes, flipped: &Mask, n: &Lanes) -> Lanes {
    let mut of = Lanes::default();
    let mut lost = Lanes::default();
    for i in 0..LANES {
        let mean = sums[i] / n[i];
        let whole = 1.0 - mean;
        let is_rest = flipped[i] != 0;
        of[i] = if is_rest { whole } else { mean };
        lost[i] = if is_rest {
            (1.0 - whole - mean) / whole
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
