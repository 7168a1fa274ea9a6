//! `labels`: the true class of every record.

use std::sync::Arc;

use crate::array::{Array, Place};
use crate::{Error, Result};

/// How models are audited that put out a quantity.
pub(crate) const REGRESSION: &str = "for a regression leave labels out and store phi [models, records] of your own: any \
     score that is higher where the model fits the record better, such as minus the squared error";

/// Labels of an array [records] or [records, 1], none of them negative.
pub(crate) fn read(labels: &Array, records: usize) -> Result<Vec<i64>> {
    check_shape(labels, records)?;
    let indices = |record: usize| match labels.shape.len() {
        1 => vec![record],
        _ => vec![record, 0],
    };
    (0..records)
        .map(|record| label(labels, record, &indices(record)))
        .collect()
}

fn check_shape(labels: &Array, records: usize) -> Result<()> {
    let (name, shape) = (&labels.place.name, &labels.shape);
    let error = match shape.as_slice() {
        &[n] | &[n, 1] if n == records => return Ok(()),
        [n] | [n, 1] => Error::mismatch(format!(
            "{name} has {n} records but the models' outputs have {records}"
        ))
        .hint("one label per record, in the same order"),
        _ => Error::mismatch(format!("{name} has shape {shape:?}; wanted [records]"))
            .hint("store class numbers; argmax turns one-hot rows into them"),
    };
    Err(error.at(&labels.place.path))
}

fn label(labels: &Array, record: usize, indices: &[usize]) -> Result<i64> {
    let name = &labels.place.name;
    let scalar = labels.scalar(indices);
    match scalar.and_then(|scalar| scalar.whole()) {
        Some(label) if label >= 0 => Ok(label),
        _ => {
            let value = scalar.map_or("text".to_owned(), |scalar| scalar.to_string());
            Err(
                Error::malformed(format!("{name}, record {record} is {value}"))
                    .at(&labels.place.path)
                    .hint(format!("labels are class numbers from 0 on; {REGRESSION}")),
            )
        }
    }
}

/// The same labels in fewer bytes; nothing where one is too large for any class.
pub(crate) fn codes(labels: &[i64]) -> Option<Arc<[u32]>> {
    labels
        .iter()
        .map(|&label| u32::try_from(label).ok())
        .collect()
}

/// The same labels as indices into so many classes. A single logit tells two classes apart.
pub(crate) fn for_classes(labels: &[i64], classes: usize, place: &Place) -> Result<Arc<[u32]>> {
    let choices = classes.max(2) as i64;
    let index = |(record, &label): (usize, &i64)| match u32::try_from(label) {
        Ok(index) if label < choices => Ok(index),
        _ => Err(Error::mismatch(format!(
            "{}, record {record} is {label} but the logits have {classes} {}",
            place.name,
            if classes == 1 { "column" } else { "classes" },
        ))
        .at(&place.path)
        .hint(match classes {
            1 => format!("with one column labels are 0 and 1; {REGRESSION}"),
            _ => format!("labels are class numbers from 0 to {}", choices - 1),
        })),
    };
    labels.iter().enumerate().map(index).collect()
}
