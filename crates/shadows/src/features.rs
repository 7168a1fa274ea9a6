//! Features from a finished `guestlist run` of a classifier, with the model that they come from:
//! an audit of it may look inside.

use std::path::Path;

use train::{Dataset, Model};

use crate::Planned;
use crate::{Error, ErrorKind, Result};
use formats::data::Records;
use formats::features::{Draft, FeatureTable, SORTED, Wanted};

const LOGITS: &str = "logits";
const PENULTIMATE: &str = "penultimate";

/// A model, and the records it was asked about.
pub struct Inside {
    pub model: Model,
    pub records: Records,
    /// The trainer, in words.
    pub trainer: String,
}

/// Whether a path is the folder of a run, rather than a file of features.
pub fn is_run(path: &Path) -> bool {
    path.join("plan.json").is_file()
}

/// Opens a run's folder. The target's features are its logits or its last hidden layer.
pub fn open_run(folder: &Path, wanted: &Wanted) -> Result<(FeatureTable, Inside)> {
    let planned = Planned::read(folder)?;
    let run = planned.run()?;
    let trained = run.trained(wanted.target)?;
    let (models, trainer) = (run.models(), run.trainer());
    drop(run);
    let subject = planned.training.into_subject();
    let sources = [subject.sources.clone(), trained.files].concat();
    let records = subject.data.ok_or_else(|| {
        Error::unsupported("the run has no data of its own")
            .at(folder)
            .hint("store the model's logits as features.npz and audit those")
    })?;
    let inside = Inside {
        model: trained.model,
        records,
        trainer,
    };
    let made = wanted.of_logits();
    let layer = made.as_ref().unwrap_or(wanted).layer.as_deref();
    let layer = layer.unwrap_or(LOGITS);
    let (width, values) = inside.features(layer).map_err(|e| e.at(folder))?;
    let table = Draft {
        format: "guestlist-run",
        layer: layer.to_owned(),
        width,
        values,
        members: Some(trained.members),
        ids: inside.records.ids.clone(),
        models,
        others: Vec::new(),
    }
    .finish(folder)?;
    let table = match made {
        Some(_) => table.sorted_probabilities(folder)?,
        None => table,
    };
    Ok((FeatureTable { sources, ..table }, inside))
}

impl Inside {
    /// The records as the model reads them.
    pub fn data(&self) -> Result<Dataset<'_>> {
        let Records {
            features,
            labels,
            classes,
            ..
        } = &self.records;
        Dataset::new(features, labels, classes.len())
    }

    fn features(&self, layer: &str) -> Result<(usize, Vec<f64>)> {
        let data = self.data()?;
        let values = match layer {
            LOGITS => {
                let mut logits = vec![0.0; data.records() * data.classes()];
                train::logits(&self.model, &data, None, &mut logits)?;
                logits
            }
            PENULTIMATE => train::penultimate(&self.model, &data)?,
            other => {
                return Err(Error::new(
                    ErrorKind::Setting,
                    format!("a model of a run has no layer {other}"),
                )
                .hint(format!("choose {LOGITS}, {PENULTIMATE} or {SORTED}")));
            }
        };
        let width = values.len() / data.records();
        Ok((width, values.into_iter().map(f64::from).collect()))
    }
}
