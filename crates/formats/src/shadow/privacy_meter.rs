//! `privacy-meter`: ML Privacy Meter's log folder. Its signals are probabilities of the true
//! label, one row per record; `loss_signals.npy` holds probabilities too, whatever its name.

use std::path::{Path, PathBuf};

use attacks::signals::shadow::Meaning;

use super::draft::{self, Draft};
use super::keep;
use super::registry::Format;
use super::table::ShadowTable;
use crate::array::{Array, Axes};
use crate::npy;
use crate::{Error, Result};

pub(crate) struct PrivacyMeter;

impl Format for PrivacyMeter {
    fn name(&self) -> &'static str {
        "privacy-meter"
    }

    fn layout(&self) -> &'static str {
        "a folder with models/memberships.npy [models, records] and signals/rmia_signals.npy or \
         signals/loss_signals.npy [records, models]"
    }

    fn detect(&self, path: &Path) -> bool {
        memberships_file(path).is_file()
    }

    fn read(&self, path: &Path) -> Result<ShadowTable> {
        let (keep_file, signals_file) = (memberships_file(path), signals_file(path)?);
        let keep = npy::open(&keep_file)?;
        let signals = npy::open(&signals_file)?;
        let sample_major = Axes {
            model: Some(1),
            ..Axes::default()
        };
        let axes = draft::axes_of(&signals, &[(2, sample_major)], "[records, models]")?;
        let members = keep::rows(&keep)?;
        check_agreement(&signals, &keep)?;
        Draft {
            format: self.name(),
            places: vec![signals.place.clone()],
            planes: signals.planes(&axes)?,
            meaning: Meaning::Probability,
            records: signals.shape[0],
            augmentations: 1,
            members,
            members_known: true,
            unknown: None,
            ids: None,
            ids_path: None,
            right: None,
            labels: None,
            sources: vec![keep_file, signals_file],
            notes: Vec::new(),
        }
        .finish()
    }
}

fn memberships_file(path: &Path) -> PathBuf {
    path.join("models").join("memberships.npy")
}

fn signals_file(path: &Path) -> Result<PathBuf> {
    ["rmia_signals.npy", "loss_signals.npy"]
        .into_iter()
        .map(|name| path.join("signals").join(name))
        .find(|file| file.is_file())
        .ok_or_else(|| {
            Error::missing("there is neither signals/rmia_signals.npy nor signals/loss_signals.npy")
                .at(path)
                .hint("let ML Privacy Meter compute its signals first")
        })
}

fn check_agreement(signals: &Array, keep: &Array) -> Result<()> {
    let (records, models) = (signals.shape[0], signals.shape[1]);
    let (keep_models, keep_records) = (keep.shape[0], keep.shape[1]);
    let error = if models != keep_models {
        Error::mismatch(format!(
            "the signals have {models} models but memberships.npy has {keep_models}"
        ))
        .hint("signals of an earlier run are stale: remove them and compute them again")
    } else if records != keep_records {
        Error::mismatch(format!(
            "the signals have {records} records but memberships.npy has {keep_records}"
        ))
        .hint("with data_size set the order of the records is not saved: run without it")
    } else {
        return Ok(());
    };
    Err(error.at(&signals.place.path))
}
