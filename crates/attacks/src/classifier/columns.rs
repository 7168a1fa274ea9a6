//! The shadows' values record by record, for those who ask about the shadows rather than the
//! target.

use rayon::prelude::*;

use super::statistics::Column;
use super::statistics::block::{Block, block_records};
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::Progress;
use base::{Error, Result};

/// Hands every record's values of one augmentation to `add`, in parallel, and merges what came of
/// it. Neighbours are merged in the order of the records, but where one part ends and the next
/// begins depends on the threads: `merge` must not mind.
pub fn fold_columns<T: Default + Send>(
    signals: &ShadowSignals,
    augmentation: usize,
    progress: Progress<'_>,
    add: impl Fn(&mut T, &Column) + Sync,
    merge: impl Fn(T, T) -> T + Sync + Send,
) -> Result<T> {
    let size = block_records(signals.shadows.len());
    let start = || (T::default(), Block::default(), Column::default());
    (0..signals.records().div_ceil(size))
        .into_par_iter()
        .try_fold(start, |(mut sum, mut block, mut column), index| {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            let first = index * size;
            let last = signals.records().min(first + size);
            block.load(signals, first..last, augmentation, Rescale::Exact);
            for record in 0..block.len() {
                block.column(record, &mut column);
                add(&mut sum, &column);
            }
            progress.advance(block.len());
            Ok((sum, block, column))
        })
        .map(|part: Result<_>| part.map(|(sum, ..)| sum))
        .try_reduce(T::default, |one, other| Ok(merge(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classifier::tests::random_signals;
    use base::Cancel;

    /// Every record's values, record by record.
    fn folded(signals: &ShadowSignals, threads: usize) -> Vec<Vec<f64>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let fold = || {
            fold_columns(
                signals,
                0,
                Progress::unwatched(),
                |rows: &mut Vec<Vec<f64>>, column| rows.push(column.class(true).collect()),
                |one, other| [one, other].concat(),
            )
        };
        pool.build().unwrap().install(fold).unwrap()
    }

    #[test]
    fn records_come_in_order_whatever_the_threads() {
        // More than one block.
        let data = random_signals(9000, 10, 3);
        let alone = folded(&data.signals(), 1);
        assert_eq!(alone.len(), 9000);
        for (record, values) in alone.iter().enumerate() {
            let column = data.column(record);
            assert!(values.iter().copied().eq(column.class(true)), "{record}");
        }
        assert_eq!(alone, folded(&data.signals(), 2));
        assert_eq!(alone, folded(&data.signals(), 7));
    }

    #[test]
    fn an_interruption_is_heard() {
        let cancel = Cancel::new();
        cancel.request();
        let stopped = Progress::unwatched().stopped_by(&cancel);
        let signals = random_signals(100, 8, 4).signals();
        let add = |count: &mut usize, _: &Column| *count += 1;
        let found = fold_columns(&signals, 0, stopped, add, |a, b| a + b);
        assert!(found.is_err());
    }
}
