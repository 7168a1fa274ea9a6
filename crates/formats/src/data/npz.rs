//! Data in an npz: features `x` [records, …], labels [records], ids on request.

use std::path::Path;
use std::sync::Arc;

use super::cells::Cells;
use super::roles;
use super::table::{Column, Rows, Table};
use super::wanted::Wanted;
use crate::array::Array;
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::{Error, Result};

pub(crate) fn names(path: &Path) -> Result<Vec<String>> {
    Ok(Archive::open(path)?.names())
}

/// The label must be one of the arrays.
pub(crate) fn check_label(path: &Path, label: &str) -> Result<()> {
    let names = names(path)?;
    match names.iter().any(|name| name == label) {
        true => Ok(()),
        false => Err(no_array(&names, label).at(path)),
    }
}

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<Table> {
    let mut archive = Archive::open(path)?;
    let names = archive.names();
    let features = features_name(&names, wanted).map_err(|e| e.at(path))?;
    let features = archive.fetch(&features)?;
    let count = *features.shape.first().ok_or_else(|| {
        let message = format!("{} is a single number", features.place.name);
        Error::mismatch(message)
            .at(path)
            .hint("store the features as [records, features]")
    })?;
    let mut columns = feature_columns(features);
    for name in named(wanted) {
        columns.push(per_record(archive.fetch(name)?, count)?);
    }
    let ignored = wanted.ignore.iter().filter(|name| names.contains(name));
    columns.extend(ignored.map(|name| ignored_column(name)));
    let word = "record";
    Ok(Table {
        path: path.to_owned(),
        columns,
        rows: Rows::Numbered { count, word },
        notes: Vec::new(),
    })
}

/// The arrays with one value per record.
fn named(wanted: &Wanted) -> impl Iterator<Item = &String> {
    [&wanted.label].into_iter().chain(&wanted.id)
}

/// `x`, or else the one array for which there is no other use.
fn features_name(names: &[String], wanted: &Wanted) -> Result<String> {
    if let Some(name) = named(wanted).find(|name| !names.contains(name)) {
        return Err(no_array(names, name));
    }
    let used = |name: &&String| named(wanted).chain(&wanted.ignore).any(|u| u == *name);
    let free: Vec<&String> = names.iter().filter(|name| !used(name)).collect();
    let x = free.iter().find(|name| **name == "x" || **name == "X");
    match (x, free.as_slice()) {
        (Some(name), _) | (None, [name]) => Ok((*name).clone()),
        _ => Err(no_array(names, "x")),
    }
}

fn ignored_column(name: &str) -> Column {
    Column {
        name: name.to_owned(),
        cells: Cells::NotRead("is ignored".to_owned()),
    }
}

fn no_array(names: &[String], name: &str) -> Error {
    let there = roles::listed(names);
    let error = Error::missing(format!("there is no array {name}; the arrays are: {there}"));
    match text::nearest(names, name) {
        Some(nearest) => error.hint(format!("did you mean {nearest}?")),
        None => error.hint(
            "store features as x [records, features] and labels as y [records], or ignore all \
             arrays but these",
        ),
    }
}

/// One column per feature; axes behind the records' are flattened.
fn feature_columns(features: Array) -> Vec<Column> {
    let features = Arc::new(features);
    let extents = &features.shape[1..];
    let column = |flat: usize| {
        let indices = unravel(flat, extents);
        Column {
            name: feature_name(&features.place.name, &indices),
            cells: Cells::Slice {
                array: features.clone(),
                indices,
            },
        }
    };
    (0..extents.iter().product()).map(column).collect()
}

fn unravel(mut flat: usize, extents: &[usize]) -> Vec<usize> {
    let mut indices = vec![0; extents.len()];
    for (index, extent) in indices.iter_mut().zip(extents).rev() {
        *index = flat % extent;
        flat /= extent;
    }
    indices
}

fn feature_name(array: &str, indices: &[usize]) -> String {
    let indices: Vec<String> = indices.iter().map(usize::to_string).collect();
    match indices.is_empty() {
        true => array.to_owned(),
        false => format!("{array}[{}]", indices.join(",")),
    }
}

/// A column from an array [records] or [records, 1].
pub(crate) fn per_record(array: Array, records: usize) -> Result<Column> {
    let (name, shape) = (array.place.name.clone(), &array.shape);
    let error = match shape.as_slice() {
        &[n] | &[n, 1] if n == records => {
            return Ok(Column {
                name,
                cells: Cells::Slice {
                    indices: vec![0; shape.len() - 1],
                    array: Arc::new(array),
                },
            });
        }
        [n] | [n, 1] => Error::mismatch(format!(
            "{name} has {n} records but the features have {records}"
        ))
        .hint("one value per record, in the same order"),
        _ => Error::mismatch(format!("{name} has shape {shape:?}; wanted [records]"))
            .hint("store one value per record; argmax turns one-hot rows into class numbers"),
    };
    Err(error.at(&array.place.path))
}
