//! Gradients: the twin's against central differences, the trainer's against the twin's.

use stats::streams::Seed;

use super::twin::{Example, Twin, network, records};
use crate::dataset::Dataset;
use crate::loss::{Loss, class_weights};
use crate::model::Model;
use crate::network::{Activation, Network};
use crate::parameters::flatten;
use crate::recipe::{ClassWeights, Recipe};
use crate::step::{GradientRule, Learner};

const DEPTHS: [&[usize]; 4] = [&[], &[9], &[7, 5], &[8, 3, 6]];
const ACTIVATIONS: [Activation; 3] = [Activation::Relu, Activation::Tanh, Activation::Gelu];

fn recipes() -> [Recipe; 3] {
    let plain = Recipe::default();
    let balanced = Recipe {
        class_weights: ClassWeights::Balanced,
        ..plain.clone()
    };
    let smooth = Recipe {
        class_weights: ClassWeights::Given(vec![0.5, 2.0, 1.0, 3.0]),
        label_smoothing: 0.2,
        ..plain.clone()
    };
    [plain, balanced, smooth]
}

fn for_each_case(check: impl Fn(&Network, &Recipe, &Dataset, &[u32], Twin)) {
    let (features, labels) = records(40, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let rows: Vec<u32> = (3..20).collect();
    for (depth, activation) in DEPTHS.iter().flat_map(|d| ACTIVATIONS.map(|a| (d, a))) {
        for recipe in recipes() {
            let network = network(activation, depth);
            let weights = class_weights(&recipe.class_weights, &data, &rows);
            let twin = Twin {
                network: network.clone(),
                class_weights: weights.into_iter().map(f64::from).collect(),
                smoothing: recipe.label_smoothing,
            };
            check(&network, &recipe, &data, &rows, twin);
        }
    }
}

fn examples<'a>(data: &Dataset<'a>, rows: &[u32]) -> Vec<Example<'a>> {
    let example = |&row: &u32| Example {
        features: data.record(row),
        label: data.label(row),
        masks: Vec::new(),
    };
    rows.iter().map(example).collect()
}

fn start(network: &Network) -> (Vec<f32>, Vec<f64>) {
    let flat = flatten(&Model::initial(network, Seed(2)).unwrap());
    let wide = flat.iter().map(|&w| f64::from(w)).collect();
    (flat, wide)
}

#[test]
fn the_twin_agrees_with_central_differences() {
    for_each_case(|network, _, data, rows, twin| {
        let examples = examples(data, rows);
        let mut parameters = start(network).1;
        let (_, gradient, _) = twin.batch(&parameters, &examples);
        let step = 1e-6;
        for k in 0..parameters.len() {
            let here = parameters[k];
            let mut loss = |at: f64| {
                parameters[k] = at;
                twin.batch(&parameters, &examples).0
            };
            let slope = (loss(here + step) - loss(here - step)) / (2.0 * step);
            parameters[k] = here;
            let off = (slope - gradient[k]).abs();
            assert!(
                off < 1e-7,
                "{network:?} parameter {k}: {slope} {}",
                gradient[k]
            );
        }
    });
}

#[test]
fn the_trainer_agrees_with_the_twin() {
    for_each_case(|network, recipe, data, rows, twin| {
        let (flat, wide) = start(network);
        let (loss, gradient, _) = twin.batch(&wide, &examples(data, rows));
        let own_loss = Loss::new(recipe, data, rows);
        let rule = GradientRule::Clipped(1e9);
        let mut learner = Learner::new(network, recipe, flat, own_loss, rule, rows.len(), Seed(2));
        let tally = learner.step(data, rows, 0.1);
        assert!(
            (tally.loss / tally.weight - loss).abs() < 1e-6,
            "{network:?}"
        );
        let largest = gradient.iter().fold(0.0f64, |m, g| m.max(g.abs()));
        for (own, twins) in learner.gradient().iter().zip(&gradient) {
            assert!(
                (f64::from(*own) - twins).abs() < 2e-6 * largest.max(1.0),
                "{network:?} {own} {twins}"
            );
        }
    });
}
