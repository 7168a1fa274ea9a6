//! The shadows' values record by record, for those who ask about the shadows rather than the
//! target.

use rayon::prelude::*;

use super::statistics::Column;
use crate::signals::shadow::{Rescale, ShadowSignals};
use base::Progress;
use base::{Error, Result};

/// Records of one task.
const RECORDS_AT_ONCE: usize = 32;

/// Hands the values of some records, in this order, to `add`, in parallel, and merges what came of
/// it. Neighbours are merged in the order of the records, but where one part ends and the next
/// begins depends on the threads: `merge` must not mind.
pub fn fold_columns<T: Default + Send>(
    signals: &ShadowSignals,
    augmentation: usize,
    records: &[usize],
    progress: Progress<'_>,
    add: impl Fn(&mut T, &Column) + Sync,
    merge: impl Fn(T, T) -> T + Sync + Send,
) -> Result<T> {
    records
        .par_chunks(RECORDS_AT_ONCE)
        .try_fold(T::default, |mut sum, records| {
            if progress.cancelled() {
                return Err(Error::interrupted());
            }
            for column in columns(signals, augmentation, records) {
                add(&mut sum, &column);
            }
            progress.advance(records.len());
            Ok(sum)
        })
        .try_reduce(T::default, |one, other| Ok(merge(one, other)))
}

/// Model by model, as they lie in memory.
fn columns(signals: &ShadowSignals, augmentation: usize, records: &[usize]) -> Vec<Column> {
    let value = |model: usize, record: usize| {
        let mut value = [0.0];
        let one = record..record + 1;
        let outputs = &signals.outputs;
        outputs.phi(model, one, augmentation, Rescale::Exact, &mut value);
        value[0]
    };
    let empty = |&record: &usize| Column {
        target: value(signals.target, record),
        phi: Vec::with_capacity(signals.shadows.len()),
        inside: Vec::with_capacity(signals.shadows.len()),
    };
    let mut columns: Vec<Column> = records.iter().map(empty).collect();
    for (&model, members) in signals.shadows.iter().zip(&signals.members) {
        let all = 0..signals.records();
        let singles = signals.outputs.plain_singles(model, all, augmentation);
        for (column, &record) in columns.iter_mut().zip(records) {
            column.phi.push(match singles {
                // Most signals are stored this way.
                Some(singles) => f64::from(f32::from_le_bytes(singles[record])),
                None => value(model, record),
            });
            column.inside.push(members.get(record));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::classifier::tests::random_signals;
    use crate::signals::bytes::Bytes;
    use crate::signals::plane::{Number, Plane};
    use crate::signals::shadow::{Meaning, ModelOutputs};
    use base::Cancel;

    /// Every record's values, record by record.
    fn folded(signals: &ShadowSignals, records: &[usize], threads: usize) -> Vec<Vec<f64>> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let fold = || {
            fold_columns(
                signals,
                0,
                records,
                Progress::unwatched(),
                |rows: &mut Vec<Vec<f64>>, column| rows.push(column.class(true).collect()),
                |one, other| [one, other].concat(),
            )
        };
        pool.build().unwrap().install(fold).unwrap()
    }

    #[test]
    fn records_come_in_order_whatever_the_threads() {
        // More than one task, and not every record.
        let data = random_signals(9000, 10, 3);
        let records: Vec<usize> = (0..9000).filter(|record| record % 7 != 2).collect();
        let alone = folded(&data.signals(), &records, 1);
        assert_eq!(alone.len(), records.len());
        for (&record, values) in records.iter().zip(&alone) {
            let column = data.column(record);
            assert!(values.iter().copied().eq(column.class(true)), "{record}");
        }
        assert_eq!(alone, folded(&data.signals(), &records, 2));
        assert_eq!(alone, folded(&data.signals(), &records, 7));
    }

    #[test]
    fn numbers_in_single_precision_are_those_in_double() {
        let mut data = random_signals(300, 10, 5);
        let rounded = |phi: &mut f64| *phi = f64::from(*phi as f32);
        data.phi.iter_mut().flatten().for_each(rounded);
        let doubles = data.signals_as(Meaning::Phi);
        let plane = |row: &Vec<f64>| {
            let bytes = row.iter().flat_map(|&x| (x as f32).to_le_bytes());
            Plane {
                bytes: Bytes::new(bytes.collect::<Vec<u8>>()),
                number: Number::F32,
                record_stride: 4,
                ..doubles.outputs.planes[0].clone()
            }
        };
        let singles = ShadowSignals {
            outputs: Arc::new(ModelOutputs {
                planes: data.phi.iter().map(plane).collect(),
                ..ModelOutputs::clone(&doubles.outputs)
            }),
            ..doubles.clone()
        };
        let records: Vec<usize> = (0..300).step_by(3).collect();
        assert!(singles.outputs.plain_singles(1, 0..300, 0).is_some());
        assert_eq!(folded(&singles, &records, 2), folded(&doubles, &records, 2));
    }

    #[test]
    fn an_interruption_is_heard() {
        let cancel = Cancel::new();
        cancel.request();
        let stopped = Progress::unwatched().stopped_by(&cancel);
        let signals = random_signals(100, 8, 4).signals();
        let add = |count: &mut usize, _: &Column| *count += 1;
        let found = fold_columns(&signals, 0, &[0, 1], stopped, add, |a, b| a + b);
        assert!(found.is_err());
    }
}
