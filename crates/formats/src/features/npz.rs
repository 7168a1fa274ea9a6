//! Features in an npz: `features`, `logits` or `penultimate`, membership as `member` or `keep`,
//! and `ids`.

use std::path::Path;

use super::table::{Draft, FeatureTable, flags, vectors};
use super::{Wanted, layer_among};
use crate::array::Array;
use crate::shadow::matrix::NamedArrays;
use crate::shadow::npz::Archive;
use crate::shadow::{ids, keep};
use crate::{Error, Result};

const MEMBERSHIP: [&str; 2] = ["member", "keep"];

pub(crate) fn names(path: &Path) -> Result<Vec<String>> {
    Ok(Archive::open(path)?.names())
}

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<FeatureTable> {
    let mut archive = Archive::open(path)?;
    let names = archive.names();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let layer = layer_among(&names, wanted, "array", path)?;
    let array = archive.fetch(layer)?;
    let (width, values, models) = vectors(&array, wanted.target)?;
    let membership = MEMBERSHIP.iter().find(|name| names.contains(*name));
    let membership = membership.map(|name| archive.fetch(name)).transpose()?;
    let members = membership
        .map(|array| members(&array, wanted.target))
        .transpose()?;
    let ids = archive.fetch_if_there("ids")?;
    Draft {
        format: "npz features",
        layer: layer.to_owned(),
        width,
        values,
        members,
        ids: ids.map(|array| ids::read(&array)).transpose()?,
        models,
        others: Vec::new(),
    }
    .finish(path)
}

/// Of one model, from [records] or [models, records].
fn members(array: &Array, target: usize) -> Result<Vec<bool>> {
    match array.shape.as_slice() {
        [_] => Ok(flags(&keep::row(array)?)),
        [models, _] if target < *models => Ok(flags(&keep::rows(array)?[target])),
        shape => Err(Error::mismatch(format!(
            "{} has shape {shape:?}, which says nothing of model {target}",
            array.place.name
        ))
        .at(&array.place.path)
        .hint("membership is [records], or [models, records] with a row for every model")),
    }
}
