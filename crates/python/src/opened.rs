//! Canaries for a training run: all of them, and, for the check before it, who was chosen.

use std::path::PathBuf;

use canaries::{Manifest, Role, SealedTruth};
use guestlist::Error;
use pyo3::prelude::*;
use serde_json::json;

use crate::errors::Outcome;

/// A draw, every file of it as it was sealed: where its training file lies, its canaries, and its coins.
#[pyfunction]
pub fn open_canaries(manifest: PathBuf) -> Outcome<String> {
    let manifest = Manifest::read(&manifest)?;
    let truth = SealedTruth::open(&manifest)?;
    let included: serde_json::Map<_, _> = truth
        .coins()
        .map(|(id, coin)| (id.to_owned(), coin.into()))
        .collect();
    let opened = json!({
        "kind": manifest.kind,
        "manifest": manifest.path,
        "training": manifest.verified(Role::Training)?,
        "canaries": manifest.canaries()?,
        "included": included,
    });
    serde_json::to_string(&opened).map_err(|error| {
        Error::malformed(error.to_string())
            .at(&manifest.path)
            .into()
    })
}
