//! `keep`: which records each model trained on, from booleans or from zeros and ones.

use std::cell::Cell;

use attacks::signals::membership::MemberRow;
use rayon::prelude::*;

use crate::array::Array;
use crate::element::Element;
use crate::{Error, Result};

/// What may stand in a cell beside 0 and 1.
#[derive(Clone, Copy, PartialEq)]
enum Beside {
    Nothing,
    /// −1 and NaN, where nobody knows.
    Unknown,
}

/// One row per model of an array [models, records].
pub fn rows(keep: &Array) -> Result<Vec<MemberRow>> {
    rows_of(keep, Beside::Nothing)
}

/// The same, and where nobody knows (−1 or NaN), if that is so anywhere.
pub fn known_rows(keep: &Array) -> Result<(Vec<MemberRow>, Option<Vec<MemberRow>>)> {
    let members = rows_of(keep, Beside::Unknown)?;
    let unknown = |model: usize| {
        let records = members[model].len();
        MemberRow::from_fn(records, |record| is_unknown(keep, &[model, record]))
    };
    if matches!(keep.element, Element::Bool | Element::Unsigned(_)) {
        return Ok((members, None));
    }
    let unknown: Vec<MemberRow> = (0..members.len()).into_par_iter().map(unknown).collect();
    let any = unknown.iter().any(|row| row.count() > 0);
    Ok((members, any.then_some(unknown)))
}

fn rows_of(keep: &Array, beside: Beside) -> Result<Vec<MemberRow>> {
    let &[models, _] = keep.shape.as_slice() else {
        return Err(wrong_rank(keep, "[models, records]")
            .hint("one row per model; give the folder above if this is a single model's"));
    };
    (0..models)
        .into_par_iter()
        .map(|model| member_row(keep, Some(model), beside))
        .collect()
}

/// The only row of an array [records].
pub fn row(keep: &Array) -> Result<MemberRow> {
    row_of(keep, Beside::Nothing)
}

/// Truth values of an array [records], and nothing where nobody knows (−1 or NaN).
pub fn known(keep: &Array) -> Result<Vec<Option<bool>>> {
    let row = row_of(keep, Beside::Unknown)?;
    let known = |record: usize| (!is_unknown(keep, &[record])).then(|| row.get(record));
    Ok((0..row.len()).map(known).collect())
}

/// All truth values of an array [records] or [records, more], row by row.
pub fn flags(array: &Array) -> Result<Vec<bool>> {
    let read = |record: usize, indices: &[usize]| {
        flag(array, indices).ok_or_else(|| {
            Error::malformed(format!("record {record} is neither true nor false"))
                .at(&array.place.path)
                .hint("it holds 1 (or true) and 0 alone")
        })
    };
    match *array.shape.as_slice() {
        [records] => (0..records).map(|record| read(record, &[record])).collect(),
        [records, more] => (0..records)
            .flat_map(|record| (0..more).map(move |place| (record, place)))
            .map(|(record, place)| read(record, &[record, place]))
            .collect(),
        _ => Err(wrong_rank(array, "[records] or [records, augmentations]")),
    }
}

fn row_of(keep: &Array, beside: Beside) -> Result<MemberRow> {
    match keep.shape.as_slice() {
        [_] => member_row(keep, None, beside),
        _ => Err(wrong_rank(keep, "[records]")),
    }
}

fn member_row(keep: &Array, model: Option<usize>, beside: Beside) -> Result<MemberRow> {
    let records = keep.shape[keep.shape.len() - 1];
    if let Some(bytes) = row_bytes(keep, model, records) {
        return MemberRow::from_bytes(bytes).map_err(|record| neither(keep, model, record));
    }
    let first_bad = Cell::new(None);
    let member = |record: usize| {
        let indices = match model {
            Some(model) => &[model, record][..],
            None => &[record][..],
        };
        let flag = match flag(keep, indices) {
            None if beside == Beside::Unknown && is_unknown(keep, indices) => Some(false),
            flag => flag,
        };
        if flag.is_none() && first_bad.get().is_none() {
            first_bad.set(Some(record));
        }
        flag.unwrap_or(false)
    };
    let row = MemberRow::from_fn(records, member);
    match first_bad.get() {
        None => Ok(row),
        Some(record) => Err(neither(keep, model, record)),
    }
}

/// The row as it lies, where it is one byte per record side by side and no byte stands for anything but 0 and 1.
fn row_bytes(keep: &Array, model: Option<usize>, records: usize) -> Option<&[u8]> {
    let bytes = matches!(keep.element, Element::Bool | Element::Unsigned(1));
    let beside = keep.strides.last() == Some(&1);
    (bytes && beside).then(|| match model {
        Some(model) => keep.run_bytes(&[model, 0], records),
        None => keep.run_bytes(&[0], records),
    })
}

fn flag(keep: &Array, indices: &[usize]) -> Option<bool> {
    let whole = match keep.element {
        Element::Bool | Element::Unsigned(1) => i64::from(keep.element_bytes(indices)[0]),
        _ => keep.scalar(indices)?.whole()?,
    };
    match whole {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

fn is_unknown(keep: &Array, indices: &[usize]) -> bool {
    match keep.element {
        Element::Bool | Element::Unsigned(_) => false,
        _ => keep.scalar(indices).is_some_and(|value| {
            let number = value.number();
            number == -1.0 || number.is_nan()
        }),
    }
}

fn neither(keep: &Array, model: Option<usize>, record: usize) -> Error {
    let name = &keep.place.name;
    let (place, indices) = match model {
        Some(model) => (format!(" of model {model}"), vec![model, record]),
        None => (String::new(), vec![record]),
    };
    let value = match keep.scalar(&indices) {
        Some(value) => value.to_string(),
        None => "text".to_owned(),
    };
    Error::malformed(format!("{name}{place}, record {record} is {value}"))
        .at(&keep.place.path)
        .hint(format!(
            "{name} holds 1 (or true) where the model trained on the record and 0 elsewhere"
        ))
}

fn wrong_rank(keep: &Array, wanted: &str) -> Error {
    let (name, shape) = (&keep.place.name, &keep.shape);
    Error::mismatch(format!("{name} has shape {shape:?}; wanted {wanted}")).at(&keep.place.path)
}
