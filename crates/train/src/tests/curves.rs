//! Whole runs: the trainer's loss curve against the twin's, on the same batches and dropout masks.

use stats::streams::Seed;

use super::twin::{Example, Twin, TwinDescent, network, records};
use crate::batches::Batches;
use crate::dataset::Dataset;
use crate::model::Model;
use crate::network::{Activation, Network};
use crate::parameters::flatten;
use crate::pass::Dropout;
use crate::recipe::{Optimiser, Recipe, Schedule};
use crate::training::train;
use base::Progress;

/// Mean loss of each epoch, and the final weights.
fn twin_curve(
    network: &Network,
    recipe: &Recipe,
    data: &Dataset,
    rows: &[u32],
    seed: Seed,
) -> (Vec<f64>, Vec<f64>) {
    let twin = Twin::plain(network);
    let start = flatten(&Model::initial(network, seed).unwrap());
    let mut parameters: Vec<f64> = start.into_iter().map(f64::from).collect();
    let mut descent = TwinDescent::new(parameters.len());
    let mut batches = Batches::shuffled(rows.to_vec(), recipe.batch_size, seed);
    let mut dropout = Dropout::new(recipe.dropout, 10_000, seed);
    let mut curve = Vec::new();
    for epoch in 0..recipe.epochs {
        let (mut total, mut weight) = (0.0, 0.0);
        batches.begin_epoch();
        let count = batches.per_epoch();
        for number in 0..count {
            let batch = masked(network, data, batches.batch(number), recipe, &mut dropout);
            let (loss, gradient, own) = twin.batch(&parameters, &batch);
            total += loss * own;
            weight += own;
            let factor = recipe
                .schedule
                .factor((epoch, recipe.epochs), (number, count));
            descent.update(
                recipe,
                recipe.learning_rate * factor,
                &mut parameters,
                &gradient,
            );
        }
        curve.push(total / weight);
    }
    (curve, parameters)
}

/// Masks are drawn layer by layer for the whole batch, then handed out record by record.
fn masked<'a>(
    network: &Network,
    data: &Dataset<'a>,
    rows: &[u32],
    recipe: &Recipe,
    dropout: &mut Dropout,
) -> Vec<Example<'a>> {
    let draw = |&width: &usize| {
        dropout
            .draw(rows.len() * width)
            .iter()
            .map(|&m| f64::from(m))
            .collect()
    };
    let drawn: Vec<Vec<f64>> = match recipe.dropout > 0.0 {
        true => network.hidden.iter().map(draw).collect(),
        false => Vec::new(),
    };
    let example = |(index, &row): (usize, &u32)| Example {
        features: data.record(row),
        label: data.label(row),
        masks: drawn
            .iter()
            .zip(&network.hidden)
            .map(|(m, &w)| m[index * w..][..w].to_vec())
            .collect(),
    };
    rows.iter().enumerate().map(example).collect()
}

fn check(activation: Activation, recipe: &Recipe) {
    let (features, labels) = records(90, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let rows: Vec<u32> = (0..90).filter(|row| row % 4 != 1).collect();
    let network = network(activation, &[11, 8]);
    let trained = train(
        &network,
        recipe,
        &data,
        &rows,
        Seed(8),
        Progress::unwatched(),
    )
    .unwrap();
    let (curve, parameters) = twin_curve(&network, recipe, &data, &rows, Seed(8));
    assert!(
        curve[curve.len() - 1] < 0.97 * curve[0],
        "the twin learns: {curve:?}"
    );
    for (epoch, expected) in trained.history.iter().zip(&curve) {
        let off = (epoch.training.loss - expected).abs();
        assert!(
            off < 1e-4 * expected,
            "{recipe:?}: {epoch:?} against {expected}"
        );
    }
    for (own, twins) in flatten(&trained.model).iter().zip(&parameters) {
        assert!(
            (f64::from(*own) - twins).abs() < 1e-3,
            "{recipe:?}: {own} against {twins}"
        );
    }
}

fn recipe(optimiser: Optimiser, learning_rate: f64) -> Recipe {
    Recipe {
        epochs: 8,
        batch_size: 16,
        optimiser,
        learning_rate,
        ..Recipe::default()
    }
}

#[test]
fn sgd_with_and_without_momentum_follows_the_twin() {
    let nesterov = Optimiser::Sgd {
        momentum: 0.9,
        nesterov: true,
    };
    check(Activation::Relu, &recipe(Optimiser::sgd(0.0), 0.1));
    check(Activation::Tanh, &recipe(Optimiser::sgd(0.9), 0.05));
    check(Activation::Gelu, &recipe(nesterov, 0.05));
}

#[test]
fn adam_and_adamw_follow_the_twin() {
    // Where a unit of a rectifier sleeps, Adam divides noise by noise; smooth units do not.
    check(Activation::Gelu, &recipe(Optimiser::adam(), 0.01));
    check(Activation::Tanh, &recipe(Optimiser::adam_w(), 0.01));
}

#[test]
fn weight_decay_follows_the_twin() {
    for optimiser in [Optimiser::sgd(0.9), Optimiser::adam(), Optimiser::adam_w()] {
        let decayed = Recipe {
            weight_decay: 0.05,
            ..recipe(optimiser, 0.01)
        };
        check(Activation::Tanh, &decayed);
    }
}

#[test]
fn dropout_follows_the_twin_on_the_same_masks() {
    let dropped = Recipe {
        dropout: 0.3,
        epochs: 12,
        ..recipe(Optimiser::sgd(0.9), 0.05)
    };
    check(Activation::Relu, &dropped);
    check(Activation::Gelu, &dropped);
}

#[test]
fn schedules_follow_the_twin() {
    let step = Schedule::Step {
        every: 3,
        factor: 0.5,
    };
    for schedule in [step, Schedule::Cosine, Schedule::WarmUpCosine { epochs: 2 }] {
        let scheduled = Recipe {
            schedule,
            ..recipe(Optimiser::sgd(0.9), 0.05)
        };
        check(Activation::Tanh, &scheduled);
    }
}
