//! Sufficient statistics of every record, computed block by block, once, for all attacks.

pub(crate) mod block;
mod estimator;
mod moments;
mod shape;
mod simd;

use rayon::prelude::*;
use stats::special::{ln_sigmoid, log_sum_exp};

pub use self::block::Column;
use self::block::{Block, block_records};
pub use self::estimator::{ESTIMATOR, Estimator, TRIM};
pub use self::moments::Moments;
pub use self::shape::{Shape, ln_loss};
use crate::error::{Error, Result};
use crate::signals::shadow::{Rescale, ShadowSignals};
use crate::watch::Watch;

/// Which statistics someone will look at. Moments are always there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Mean probabilities over shadows.
    pub probabilities: bool,
    /// How many OUT shadows are less confident than the target.
    pub below: bool,
    /// Means of loss, log-loss and log-complement per class.
    pub shapes: bool,
}

impl Wants {
    pub const MOMENTS: Wants = Wants {
        probabilities: false,
        below: false,
        shapes: false,
    };
    pub const PROBABILITIES: Wants = Wants {
        probabilities: true,
        ..Wants::MOMENTS
    };
    pub const BELOW: Wants = Wants {
        below: true,
        ..Wants::MOMENTS
    };
    pub const SHAPES: Wants = Wants {
        shapes: true,
        ..Wants::MOMENTS
    };

    pub fn union(self, other: Wants) -> Wants {
        Wants {
            probabilities: self.probabilities || other.probabilities,
            below: self.below || other.below,
            shapes: self.shapes || other.shapes,
        }
    }
}

/// What is known of one record.
#[derive(Clone, Copy, Debug, Default)]
pub struct RecordStatistics {
    /// φ under the audited model.
    pub target: f64,
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
    pub inside_shape: Shape,
    pub outside_shape: Shape,
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
        watch: &dyn Watch,
    ) -> Result<Self> {
        let size = block_records(signals.shadows.len());
        let mut records = vec![RecordStatistics::default(); signals.records()];
        let totals = records
            .par_chunks_mut(size)
            .enumerate()
            .map_init(Scratch::default, |scratch, (index, out)| {
                if watch.cancelled() {
                    return Err(Error::interrupted());
                }
                let first = index * size;
                let range = first..first + out.len();
                scratch
                    .block
                    .load(signals, range, augmentation, Rescale::Exact);
                let totals = scratch.summarise(wants, estimator, out);
                watch.advance(out.len());
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
    lanes: [Vec<f64>; 4],
    column: Column,
}

impl Scratch {
    /// Fills in the records of the loaded block; returns the moments of all its observations.
    fn summarise(
        &mut self,
        wants: Wants,
        estimator: Estimator,
        out: &mut [RecordStatistics],
    ) -> (Moments, Moments) {
        for (record, &target) in out.iter_mut().zip(self.block.target()) {
            record.target = target;
        }
        self.moments(out);
        let totals = out
            .iter()
            .fold((Moments::default(), Moments::default()), |sum, record| {
                (sum.0.merge(record.inside), sum.1.merge(record.outside))
            });
        if wants.probabilities {
            self.probabilities(out);
        }
        if wants.below {
            self.below(out);
        }
        if wants.shapes || estimator != Estimator::MaximumLikelihood {
            self.columns(wants, estimator, out);
        }
        totals
    }

    fn clear_lanes(&mut self) {
        for lane in &mut self.lanes {
            lane.clear();
            lane.resize(self.block.len(), 0.0);
        }
    }

    /// Two passes, means first: no cancellation, whatever the location of φ.
    fn moments(&mut self, out: &mut [RecordStatistics]) {
        self.clear_lanes();
        let shadows = self.block.rows().count() as f64;
        let [count_in, sum_in, sum_out, _] = &mut self.lanes;
        for (phi, weight) in self.block.rows() {
            simd::add_sums(phi, weight, count_in, sum_in, sum_out);
        }
        for (i, record) in out.iter_mut().enumerate() {
            record.inside.n = count_in[i];
            record.outside.n = shadows - count_in[i];
            record.inside.mean = sum_in[i] / record.inside.n;
            record.outside.mean = sum_out[i] / record.outside.n;
        }
        self.scatter(out);
    }

    fn scatter(&mut self, out: &mut [RecordStatistics]) {
        self.clear_lanes();
        let [mean_in, mean_out, square_in, square_out] = &mut self.lanes;
        for (i, record) in out.iter_mut().enumerate() {
            // An empty class has no mean; it takes part with weight 0, so any number does.
            if record.inside.n == 0.0 {
                record.inside.mean = 0.0;
            }
            if record.outside.n == 0.0 {
                record.outside.mean = 0.0;
            }
            mean_in[i] = record.inside.mean;
            mean_out[i] = record.outside.mean;
        }
        for (phi, weight) in self.block.rows() {
            simd::add_squares(phi, weight, mean_in, mean_out, square_in, square_out);
        }
        for (i, record) in out.iter_mut().enumerate() {
            record.inside.scatter = square_in[i];
            record.outside.scatter = square_out[i];
            record.pooled = record.inside.merge(record.outside);
        }
    }

    fn probabilities(&mut self, out: &mut [RecordStatistics]) {
        self.clear_lanes();
        let [p_all, q_all, p_out, q_out] = &mut self.lanes;
        for (phi, weight) in self.block.rows() {
            simd::add_probabilities(phi, weight, p_all, q_all, p_out, q_out);
        }
        for (i, record) in out.iter_mut().enumerate() {
            let (all, outside) = (record.pooled.n, record.outside.n);
            record.ln_mean_probability = ln_mean(p_all[i], q_all[i], all);
            record.ln_mean_probability_outside = ln_mean(p_out[i], q_out[i], outside);
        }
        self.vanishing_probabilities(out);
    }

    /// Where every probability underflows, the sum is taken again in the log domain.
    fn vanishing_probabilities(&mut self, out: &mut [RecordStatistics]) {
        for (i, record) in out.iter_mut().enumerate() {
            let vanished = record.ln_mean_probability == f64::NEG_INFINITY
                || (record.ln_mean_probability_outside == f64::NEG_INFINITY
                    && record.outside.n > 0.0);
            if vanished {
                self.block.column(i, &mut self.column);
                let ln_p: Vec<f64> = self.column.phi.iter().map(|&phi| ln_sigmoid(phi)).collect();
                let ln_p_out: Vec<f64> = self.column.class(false).map(ln_sigmoid).collect();
                record.ln_mean_probability = log_sum_exp(&ln_p) - record.pooled.n.ln();
                record.ln_mean_probability_outside = log_sum_exp(&ln_p_out) - record.outside.n.ln();
            }
        }
    }

    fn below(&mut self, out: &mut [RecordStatistics]) {
        self.clear_lanes();
        let below = &mut self.lanes[0];
        for (phi, weight) in self.block.rows() {
            simd::count_below(phi, weight, self.block.target(), below);
        }
        for (record, &below) in out.iter_mut().zip(below.iter()) {
            record.outside_below = below;
        }
    }

    fn columns(&mut self, wants: Wants, estimator: Estimator, out: &mut [RecordStatistics]) {
        for (i, record) in out.iter_mut().enumerate() {
            self.block.column(i, &mut self.column);
            if wants.shapes {
                record.inside_shape = Shape::of(self.column.class(true));
                record.outside_shape = Shape::of(self.column.class(false));
            }
            if estimator != Estimator::MaximumLikelihood {
                record.inside = estimator.apply(record.inside, self.column.class(true));
                record.outside = estimator.apply(record.outside, self.column.class(false));
                record.pooled = estimator.apply(record.pooled, self.column.phi.iter().copied());
            }
        }
    }
}

/// ln(Σp/n) from whichever of Σp and Σq keeps its digits.
fn ln_mean(p_sum: f64, q_sum: f64, n: f64) -> f64 {
    if q_sum < p_sum {
        (-q_sum / n).ln_1p()
    } else {
        (p_sum / n).ln()
    }
}

#[cfg(test)]
mod tests;
