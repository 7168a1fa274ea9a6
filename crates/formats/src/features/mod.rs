//! Features of records for few-shot audits: a vector per record, and who was a member.
//!
//! One file per format; what is found is checked as a whole in [`table`].

mod npy;
mod npz;
mod parquet;
mod table;
mod write;

use std::path::Path;

pub use self::parquet::known_member as parquet_known_member;
pub use self::table::{Draft, FeatureTable};
pub use self::write::{FeatureRow, NextRows, write};

use crate::foreign;
use crate::npy::MAGIC;
use crate::parts;
use crate::shadow::folder::first_bytes;
use crate::{Error, Result};

/// A layer made of logits: softmax, the largest first. Which class it is no longer shows, so that
/// what is left is how sure the model is (Salem et al. 2019, "ML-Leaks", sort posteriors likewise).
pub const SORTED: &str = "sorted-probabilities";

/// Names under which features are looked for, the first that is there.
pub const LAYERS: [&str; 3] = ["features", "logits", "penultimate"];

/// What sorted probabilities are made of: the first that is there.
const LOGITS: &str = "logits";
const PROBABILITIES: &str = "probabilities";

/// What to take from a file that may hold more.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The array or column; the first of [`LAYERS`] that is there where none is named.
    pub layer: Option<String>,
    /// Which model's features, where the file has several models.
    pub target: usize,
}

/// Reads features from an npz, npy or Parquet file, the format of which is known by the first bytes; or from a
/// folder of Parquet files and objects, which are one table.
pub fn read(path: &Path, wanted: &Wanted) -> Result<FeatureTable> {
    if !parts::is_object(path) {
        std::fs::metadata(path).map_err(|e| Error::reading(path, &e))?;
        foreign::refuse(path, foreign::Wanted::Features)?;
    }
    match wanted.of_logits() {
        Some(logits) => match holds_probabilities_alone(path)? {
            true => {
                let layer = Some(PROBABILITIES.to_owned());
                as_it_lies(path, &Wanted { layer, ..logits })?.sorted(path)
            }
            false => as_it_lies(path, &logits)?.sorted_probabilities(path),
        },
        None => as_it_lies(path, wanted),
    }
}

/// Every layer of a file that is known by name, and sorted probabilities where they can be made; nothing stands for
/// what is read where no layer is named.
pub fn layers(path: &Path) -> Result<Vec<Option<&'static str>>> {
    let names = names(path)?;
    let there = |name: &str| names.iter().any(|other| other == name);
    let named = LAYERS.iter().copied().filter(|layer| there(layer));
    let mut layers: Vec<Option<&str>> = named.map(Some).collect();
    let made = there(LOGITS) || there(PROBABILITIES);
    if layers.is_empty() && !made {
        layers.push(None);
    }
    layers.extend(made.then_some(Some(SORTED)));
    Ok(layers)
}

fn holds_probabilities_alone(path: &Path) -> Result<bool> {
    let names = names(path)?;
    let there = |name: &str| names.iter().any(|other| other == name);
    Ok(there(PROBABILITIES) && !there(LOGITS))
}

/// Arrays or list columns of a file; a single array has no name.
fn names(path: &Path) -> Result<Vec<String>> {
    if !parts::is_object(path) {
        std::fs::metadata(path).map_err(|e| Error::reading(path, &e))?;
    }
    match first_bytes(path).starts_with(b"PK\x03\x04") {
        true => npz::names(path),
        false if parts::is_parquet(path) => parquet::names(path),
        false => Ok(Vec::new()),
    }
}

impl Wanted {
    /// What to read where the layer is to be made of logits.
    pub fn of_logits(&self) -> Option<Self> {
        let made = self.layer.as_deref() == Some(SORTED);
        made.then(|| Self {
            layer: Some("logits".to_owned()),
            ..self.clone()
        })
    }
}

fn as_it_lies(path: &Path, wanted: &Wanted) -> Result<FeatureTable> {
    let start = first_bytes(path);
    if start.starts_with(b"PK\x03\x04") {
        npz::read(path, wanted)
    } else if start.starts_with(MAGIC) {
        npy::read(path, wanted)
    } else if parts::is_parquet(path) {
        parquet::read(path, wanted)
    } else {
        Err(unknown(path))
    }
}

fn unknown(path: &Path) -> Error {
    let what = match path.is_dir() {
        true => "is a folder without plan.json and without Parquet files",
        false => "is a file of an unknown type",
    };
    Error::unsupported(what).at(path).hint(
        "features are read from .npz, .npy and Parquet files, from a folder of Parquet files, or from the \
         folder of a finished `guestlist run` of a classifier",
    )
}

/// Which of the names that are there holds the features.
fn layer_among<'a>(names: &[&'a str], wanted: &Wanted, word: &str, path: &Path) -> Result<&'a str> {
    let named = wanted.layer.as_deref();
    let found = match named {
        Some(layer) => names.iter().find(|name| **name == layer),
        None => LAYERS
            .iter()
            .find_map(|layer| names.iter().find(|name| *name == layer)),
    };
    found.copied().ok_or_else(|| {
        let there = match names {
            [] => "none that could be one".to_owned(),
            names => names.join(", "),
        };
        let sought = named.map_or_else(|| LAYERS.join(", "), str::to_owned);
        Error::missing(format!(
            "there is no {word} named {sought}; there are: {there}"
        ))
        .at(path)
        .hint(format!(
            "store the records' vectors as {}, or name the {word} with --layer",
            LAYERS.join(" or ")
        ))
    })
}
