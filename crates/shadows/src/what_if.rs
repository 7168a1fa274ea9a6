//! What private training would cost: the audited model's recipe on its own records, under DP-SGD.

use std::path::Path;

use base::Progress;
use rayon::prelude::*;

use super::native::Native;
use super::run::Run;
use super::settings::{PrivacySettings, TrainingSettings};
use super::trainer::{Job, Trainer};
use crate::{Error, ErrorKind, Result};

/// δ of the promise, as where none is set.
const DELTA: f64 = 1e-5;

/// How often a model that was trained so is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrivateAccuracy {
    pub epsilon: f64,
    pub delta: f64,
    /// Of the records it was trained on, and of the others.
    pub training: f64,
    pub test: f64,
    /// The share of the commonest class: what a model reaches that has learnt nothing.
    pub commonest: f64,
}

impl Run<'_> {
    /// The audited model, trained within each of these ε. Nothing is kept.
    pub fn privately(
        &self,
        epsilons: &[f64],
        progress: Progress<'_>,
    ) -> Result<Vec<PrivateAccuracy>> {
        let Some(recipe) = &self.settings().training else {
            return Err(Error::new(
                ErrorKind::Setting,
                "what DP-SGD would cost is measured with the native trainer alone, and a program of your \
                 own trains here",
            )
            .hint("train one model so, and audit it beside this one"));
        };
        let measured = epsilons.par_iter();
        measured
            .map(|epsilon| self.within(recipe, *epsilon, progress))
            .collect()
    }

    fn within(
        &self,
        recipe: &TrainingSettings,
        epsilon: f64,
        progress: Progress<'_>,
    ) -> Result<PrivateAccuracy> {
        let settings = private(recipe, epsilon);
        let native = Native::new(&settings, self.subject())?;
        let rows = self.target_rows();
        native.check(&rows)?;
        let nowhere = Path::new("");
        let output = native.train(
            &Job {
                model: 0,
                keep: self.target_keep(),
                rows: &rows,
                seed: self.target_seed(),
                worker: None,
                threads: 1,
                attempt: 1,
                scratch: nowhere,
                log: nowhere,
            },
            progress,
        )?;
        let record = output
            .files
            .iter()
            .find(|(name, _)| *name == "training.json");
        let record = record.and_then(|(_, bytes)| serde_json::from_slice(bytes).ok());
        let share = |name: &str| {
            let record: &serde_json::Value = record.as_ref()?;
            record.pointer(name)?.as_f64()
        };
        Ok(PrivateAccuracy {
            epsilon,
            delta: DELTA,
            training: share("/right/training").unwrap_or(f64::NAN),
            test: share("/right/test").unwrap_or(f64::NAN),
            commonest: commonest(self.subject().labels.as_deref().unwrap_or_default()),
        })
    }
}

fn commonest(labels: &[u32]) -> f64 {
    let mut counts = std::collections::HashMap::new();
    for label in labels {
        *counts.entry(label).or_insert(0_usize) += 1;
    }
    let most = counts.into_values().max().unwrap_or(0);
    most as f64 / labels.len().max(1) as f64
}

/// The same recipe under DP-SGD, which clips by itself and holds nothing out.
fn private(settings: &TrainingSettings, epsilon: f64) -> TrainingSettings {
    TrainingSettings {
        privacy: Some(PrivacySettings {
            epsilon: Some(epsilon),
            noise_multiplier: None,
            delta: DELTA,
            clip_norm: 1.0,
        }),
        early_stop: None,
        clip_norm: None,
        class_weights: Default::default(),
        ..settings.clone()
    }
}
