//! Models that somebody outside trains, one call at a time: a program that holds models and data in its
//! memory, and hands over what each model makes of the records.
//!
//! Splits, seeds, ingredients and the folder are those of every run; only who trains differs.

use std::sync::Arc;
use std::time::Duration;

use base::Progress;
use stats::streams::{Rng, Seed};

use super::ingredients::Ingredients;
use super::phi;
use super::run::Run;
use super::settings::{ExternalSettings, OutputKind};
use super::splits::Splits;
use super::store::{State, Store};
use super::trainer::{Job, Output, Trainer};
use super::training_data::TrainingData;
use crate::{Error, ErrorKind, Result};
use formats::array::Array;
use formats::files;
use formats::shadow::keep;

/// Stands where a trainer stands, and trains nothing.
pub struct External<'a> {
    settings: &'a ExternalSettings,
}

impl<'a> External<'a> {
    pub fn new(settings: &'a ExternalSettings) -> Self {
        Self { settings }
    }
}

impl Trainer for External<'_> {
    fn about(&self) -> String {
        self.settings.about.clone()
    }

    fn ingredients(&self) -> Result<Ingredients> {
        let mut ingredients = Ingredients::default();
        for (name, value) in &self.settings.ingredients {
            ingredients.add(name, value);
        }
        Ok(ingredients)
    }

    fn check(&self, _rows: &[u32]) -> Result<()> {
        Ok(())
    }

    fn train(&self, _: &Job, _: Progress<'_>) -> Result<Output> {
        Err(Error::new(
            ErrorKind::Training,
            format!("{} trains the models of this run", self.settings.by),
        )
        .hint(format!("call {} again to go on", self.settings.by)))
    }
}

/// What somebody outside needs to train the models of a run; lives as long as they like.
pub struct Models {
    store: Store,
    splits: Arc<Splits>,
    shared: Ingredients,
    seed: Seed,
}

/// A model that was trained outside.
pub struct Handed {
    pub model: usize,
    /// φ [records] or [records, augmentations].
    pub phi: Array,
    /// Whether each answer named the true class, in the shape of φ.
    pub right: Option<Array>,
    /// How it was trained, for `training.json`.
    pub record: Vec<u8>,
    pub took: Duration,
}

impl Run<'_> {
    /// What is needed to train the models of this run elsewhere in this process.
    pub fn outside(&self) -> Models {
        Models {
            store: self.store().clone(),
            splits: self.splits_of_models(),
            shared: self.shared.clone(),
            seed: Seed(self.training.settings().seed),
        }
    }
}

impl Models {
    pub fn count(&self) -> usize {
        self.splits.models()
    }

    /// The records that a model trains on, in ascending order.
    pub fn rows(&self, model: usize) -> Vec<u32> {
        self.splits.rows(model)
    }

    pub fn seed(&self, model: usize) -> u64 {
        seed(self.seed, model)
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Keeps a trained model, unless it is there already.
    pub fn commit(&self, handed: &Handed, subject: &TrainingData) -> Result<()> {
        let ingredients = ingredients(&self.shared, &self.splits, handed.model);
        if self.store.state(handed.model, &ingredients) == State::Done {
            return Ok(());
        }
        let answers = phi::from_array(&handed.phi, OutputKind::Phi, subject)?;
        let right = handed.right.as_ref().map(keep::flags).transpose()?;
        check_answers(right.as_deref(), answers.phi.len())?;
        let output = Output {
            phi: answers.phi,
            augmentations: answers.augmentations,
            right,
            files: vec![("training.json", handed.record.clone())],
        };
        let scratch = self.store.scratch(handed.model)?;
        let keep = self.splits.keep(handed.model);
        self.store.commit(
            &scratch,
            handed.model,
            keep,
            &output,
            &ingredients,
            handed.took,
        )
    }
}

fn check_answers(right: Option<&[bool]>, wanted: usize) -> Result<()> {
    match right {
        Some(right) if right.len() != wanted => Err(Error::mismatch(format!(
            "there are {} right or wrong answers but {wanted} numbers of φ",
            right.len()
        ))),
        _ => Ok(()),
    }
}

/// The seed of one model.
pub(super) fn seed(root: Seed, model: usize) -> u64 {
    root.numbered("model", model as u64).next_u64()
}

/// What one model is made from.
pub(super) fn ingredients(shared: &Ingredients, splits: &Splits, model: usize) -> Ingredients {
    let keep = splits.keep(model);
    let bits: Vec<u8> = (0..keep.len()).map(|r| u8::from(keep.get(r))).collect();
    shared.with([
        ("model", model.to_string()),
        ("split", files::sha256_of(&bits)),
    ])
}
