//! Differentially private training: what it does to gradients, and what it spends.

pub mod accountant;
mod gaussian;
pub(crate) mod mechanism;
mod renyi;

use crate::batches::sampling_rate;
use crate::recipe::{Noise, Recipe};
use accountant::{Spent, noise_for, spent};
use base::Result;

/// Noise and cost of a run, settled before it starts.
pub(crate) fn plan(recipe: &Recipe, rows: usize) -> Result<Option<Spent>> {
    let Some(privacy) = recipe.privacy else {
        return Ok(None);
    };
    let rate = sampling_rate(rows, recipe.batch_size);
    let steps = u64::from(recipe.epochs) * rows.div_ceil(recipe.batch_size) as u64;
    let multiplier = match privacy.noise {
        Noise::Multiplier(multiplier) => multiplier,
        Noise::TargetEpsilon(epsilon) => noise_for(epsilon, privacy.delta, rate, steps)?,
    };
    Ok(Some(spent(multiplier, rate, steps, privacy.delta)))
}
