//! What is known of every record, laid out number by number for eight records at a time: an attack reads the few
//! numbers that it looks at, and no others.

use std::ops::Range;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::block::{LANES, Lanes};
use super::moments::Moments;

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

/// The same of eight records. Lanes beyond the last record mean nothing.
#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(align(64))]
pub(super) struct Eight {
    pub target: Lanes,
    pub ln_p: Lanes,
    pub inside: EightMoments,
    pub outside: EightMoments,
    pub pooled: EightMoments,
    pub ln_mean_probability: Lanes,
    pub ln_mean_probability_outside: Lanes,
    pub outside_below: Lanes,
}

#[derive(Clone, Copy, Debug, Zeroable)]
pub(super) struct EightMoments {
    pub n: Lanes,
    pub mean: Lanes,
    pub scatter: Lanes,
}

impl EightMoments {
    #[inline(always)]
    pub fn get(&self, lane: usize) -> Moments {
        Moments {
            n: self.n[lane],
            mean: self.mean[lane],
            scatter: self.scatter[lane],
        }
    }

    #[inline(always)]
    pub fn set(&mut self, lane: usize, moments: Moments) {
        self.n[lane] = moments.n;
        self.mean[lane] = moments.mean;
        self.scatter[lane] = moments.scatter;
    }
}

impl Eight {
    #[inline(always)]
    fn get(&self, lane: usize) -> RecordStatistics {
        RecordStatistics {
            target: self.target[lane],
            ln_p: self.ln_p[lane],
            inside: self.inside.get(lane),
            outside: self.outside.get(lane),
            pooled: self.pooled.get(lane),
            ln_mean_probability: self.ln_mean_probability[lane],
            ln_mean_probability_outside: self.ln_mean_probability_outside[lane],
            outside_below: self.outside_below[lane],
        }
    }
}

/// The statistics of all records.
#[derive(Debug)]
pub struct Records {
    eights: Vec<Eight>,
    len: usize,
}

impl Records {
    /// Room for so many. Fresh memory is touched by who fills it, for that is a good part of the work.
    pub(super) fn of(len: usize) -> Self {
        Self {
            eights: bytemuck::zeroed_vec(len.div_ceil(LANES)),
            len,
        }
    }

    pub(super) fn eights_mut(&mut self) -> &mut [Eight] {
        &mut self.eights
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    #[inline(always)]
    pub fn get(&self, record: usize) -> RecordStatistics {
        self.eights[record / LANES].get(record % LANES)
    }

    pub fn iter(&self) -> impl Iterator<Item = RecordStatistics> + Clone + '_ {
        self.within(0..self.len)
    }

    pub fn par_iter(&self) -> impl IndexedParallelIterator<Item = RecordStatistics> + '_ {
        (0..self.len).into_par_iter().map(|record| self.get(record))
    }

    /// Those of a run of records that starts at a multiple of eight.
    #[inline(always)]
    pub(in super::super) fn within(
        &self,
        records: Range<usize>,
    ) -> impl Iterator<Item = RecordStatistics> + Clone + '_ {
        debug_assert_eq!(records.start % LANES, 0);
        let count = records.len();
        let eights = &self.eights[records.start / LANES..records.end.div_ceil(LANES)];
        let all = eights
            .iter()
            .flat_map(|eight| (0..LANES).map(|lane| eight.get(lane)));
        all.take(count)
    }
}
