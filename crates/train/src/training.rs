//! The training loop.

use stats::streams::Seed;

use crate::batches::{Batches, sampling_rate};
use crate::check::check;
use crate::dataset::Dataset;
use crate::held_out::{Best, split};
use crate::loss::{Loss, Tally};
use crate::model::Model;
use crate::network::Network;
use crate::parameters::{flatten, unflatten};
use crate::privacy::accountant::Spent;
use crate::privacy::mechanism::Mechanism;
use crate::privacy::plan;
use crate::recipe::Recipe;
use crate::step::{GradientRule, Learner};
use base::{Error, Result};
use base::{Event, Progress};

/// A trained model and how it went.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    pub model: Model,
    /// One entry per epoch run.
    pub history: Vec<Epoch>,
    /// How many rows early stopping held out: no gradient came from them.
    pub held_out: usize,
    /// What DP-SGD spent.
    pub privacy: Option<Spent>,
}

/// One epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// From 1.
    pub number: u32,
    /// While learning: before each batch's update, with dropout.
    pub training: Measure,
    /// After the epoch, on the rows held out for early stop.
    pub held_out: Option<Measure>,
}

/// Mean loss, by class weight, and share of records classified right. Under Poisson sampling an
/// epoch may see no record at all: then both are NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    pub loss: f64,
    pub accuracy: f64,
}

impl From<Tally> for Measure {
    fn from(tally: Tally) -> Self {
        Self {
            loss: tally.loss / tally.weight,
            accuracy: tally.correct as f64 / tally.records as f64,
        }
    }
}

/// Train a network on the rows named, from fresh weights. All randomness comes from `seed`, which
/// should be the model's own.
pub fn train(
    network: &Network,
    recipe: &Recipe,
    data: &Dataset,
    rows: &[u32],
    seed: Seed,
    progress: Progress<'_>,
) -> Result<Trained> {
    check(network, recipe, data, rows)?;
    train_from(
        Model::initial(network, seed)?,
        recipe,
        data,
        rows,
        seed,
        progress,
    )
}

/// The same from given weights, with everything checked already.
pub(crate) fn train_from(
    mut model: Model,
    recipe: &Recipe,
    data: &Dataset,
    rows: &[u32],
    seed: Seed,
    progress: Progress<'_>,
) -> Result<Trained> {
    let spent = plan(recipe, rows.len())?;
    let (fit, held_out) = split(rows, recipe.early_stop, seed);
    let run = Run {
        recipe,
        data,
        held_out: &held_out,
        progress,
    };
    let rule = rule(recipe, spent.as_ref(), fit.len(), seed);
    let loss = Loss::new(recipe, data, &fit);
    let size = recipe.batch_size.min(fit.len());
    let start = flatten(&model);
    let learner = Learner::new(model.network(), recipe, start, loss, rule, size, seed);
    let batches = match spent {
        Some(_) => Batches::poisson(fit, size, seed),
        None => Batches::shuffled(fit, size, seed),
    };
    let (parameters, history) = run.epochs(learner, batches)?;
    unflatten(&parameters, &mut model);
    Ok(Trained {
        model,
        history,
        held_out: held_out.len(),
        privacy: spent,
    })
}

fn rule(recipe: &Recipe, spent: Option<&Spent>, rows: usize, seed: Seed) -> GradientRule {
    match (recipe.privacy, spent, recipe.clip_norm) {
        (Some(privacy), Some(spent), _) => {
            let expected = sampling_rate(rows, recipe.batch_size) * rows as f64;
            let multiplier = spent.noise_multiplier;
            let mechanism = Mechanism::new(privacy.clip_norm, multiplier, expected, seed);
            GradientRule::Private(Box::new(mechanism))
        }
        (_, _, Some(norm)) => GradientRule::Clipped(norm),
        _ => GradientRule::Plain,
    }
}

/// What stays the same over all epochs.
struct Run<'a> {
    recipe: &'a Recipe,
    data: &'a Dataset<'a>,
    held_out: &'a [u32],
    progress: Progress<'a>,
}

impl Run<'_> {
    /// Weights after all epochs, or the best when there is an early stop.
    fn epochs(&self, mut learner: Learner, mut batches: Batches) -> Result<(Vec<f32>, Vec<Epoch>)> {
        let stop = self.recipe.early_stop;
        let mut best = stop.map(|stop| Best::new(stop, &learner.parameters));
        let mut history = Vec::new();
        for index in 0..self.recipe.epochs {
            let training = self.epoch(index, &mut learner, &mut batches)?;
            let mut epoch = Epoch {
                number: index + 1,
                training: training.into(),
                held_out: None,
            };
            let mut enough = false;
            if let Some(best) = &mut best {
                let tally = learner.evaluate(self.data, self.held_out);
                epoch.held_out = Some(tally.into());
                enough = best.note(tally, &learner.parameters);
            }
            self.progress.tell(Event::Epoch {
                epoch: epoch.number,
                loss: epoch.training.loss,
            });
            history.push(epoch);
            if enough {
                break;
            }
        }
        Ok((best.map_or(learner.parameters, Best::parameters), history))
    }

    fn epoch(&self, index: u32, learner: &mut Learner, batches: &mut Batches) -> Result<Tally> {
        let count = batches.per_epoch();
        let mut total = Tally::default();
        batches.begin_epoch();
        for number in 0..count {
            if self.progress.cancelled() {
                return Err(Error::interrupted());
            }
            let factor = self
                .recipe
                .schedule
                .factor((index, self.recipe.epochs), (number, count));
            let rate = factor * self.recipe.learning_rate;
            total += learner.step(self.data, batches.batch(number), rate);
            if !total.loss.is_finite() {
                return Err(crate::refused::diverged(index + 1));
            }
        }
        if learner.parameters.iter().any(|value| !value.is_finite()) {
            return Err(crate::refused::diverged(index + 1));
        }
        Ok(total)
    }
}
