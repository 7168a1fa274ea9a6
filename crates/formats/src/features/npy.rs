//! Features in a single .npy. Who was a member is told apart from it.

use std::path::Path;

use super::Wanted;
use super::table::{Draft, FeatureTable, vectors};
use crate::{Error, Result};

pub(crate) fn read(path: &Path, wanted: &Wanted) -> Result<FeatureTable> {
    // A single array may well be of logits.
    if let Some(layer) = wanted.layer.as_ref().filter(|layer| *layer != "logits") {
        return Err(Error::new(
            crate::ErrorKind::Setting,
            format!("--layer {layer} was given, but a .npy holds a single array"),
        )
        .at(path)
        .hint("leave --layer out"));
    }
    let array = crate::npy::open(path)?;
    let (width, values, models) = vectors(&array, wanted.target)?;
    Draft {
        format: "npy features",
        layer: array.place.name,
        width,
        values,
        members: None,
        ids: None,
        models,
        others: Vec::new(),
    }
    .finish(path)
}
