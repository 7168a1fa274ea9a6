//! The shadows' values record by record, for those who ask about the shadows rather than the
//! target.

use rayon::prelude::*;

use super::statistics::Column;
use super::statistics::block::{Block, block_records};
use crate::error::{Error, Result};
use crate::signals::shadow::{Rescale, ShadowSignals};
use crate::watch::Watch;

/// Hands every record's values of one augmentation to `add`, in parallel, and merges what came of
/// it. Neighbours are merged in the order of the records, but where one part ends and the next
/// begins depends on the threads: `merge` must not mind.
pub fn fold_columns<T: Default + Send>(
    signals: &ShadowSignals,
    augmentation: usize,
    watch: &dyn Watch,
    add: impl Fn(&mut T, &Column) + Sync,
    merge: impl Fn(T, T) -> T + Sync + Send,
) -> Result<T> {
    let size = block_records(signals.shadows.len());
    let start = || (T::default(), Block::default(), Column::default());
    (0..signals.records().div_ceil(size))
        .into_par_iter()
        .try_fold(start, |(mut sum, mut block, mut column), index| {
            if watch.cancelled() {
                return Err(Error::interrupted());
            }
            let first = index * size;
            let last = signals.records().min(first + size);
            block.load(signals, first..last, augmentation, Rescale::Exact);
            for record in 0..block.len() {
                block.column(record, &mut column);
                add(&mut sum, &column);
            }
            watch.advance(block.len());
            Ok((sum, block, column))
        })
        .map(|part: Result<_>| part.map(|(sum, ..)| sum))
        .try_reduce(T::default, |one, other| Ok(merge(one, other)))
}
