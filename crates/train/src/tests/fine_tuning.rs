//! Fine-tuning under a head against a slow twin whose gradients are differences, and against the
//! head's published vectors when the model stands still.

use stats::head::{Adam, Body, Recipe, Set, tune};
use stats::streams::Seed;

use super::twin::{Twin, network, records};
use crate::dataset::Dataset;
use crate::fine_tune::{FineTuner, Lesson, Tunable};
use crate::model::Model;
use crate::network::{Activation, Network};
use crate::parameters::flatten;

const SUPPORT: [(u32, bool); 6] = [
    (0, true),
    (1, true),
    (2, true),
    (3, false),
    (4, false),
    (5, false),
];
const ASKED: [u32; 5] = [6, 7, 8, 9, 10];
const ACTIVATIONS: [Activation; 3] = [Activation::Relu, Activation::Tanh, Activation::Gelu];

/// The same network in f64; its gradient is found by moving every weight a little.
struct Slow<'a> {
    twin: Twin,
    data: Dataset<'a>,
    parameters: Vec<f64>,
    adam: Adam,
    last: Vec<u32>,
    outputs: Vec<f64>,
}

impl Slow<'_> {
    fn forward(&self, parameters: &[f64]) -> Vec<f64> {
        let row = |&row: &u32| self.twin.logits(parameters, self.data.record(row));
        self.last.iter().flat_map(row).collect()
    }

    fn gradient(&self, derivative: &[f64]) -> Vec<f64> {
        let step = 1e-6;
        let mut parameters = self.parameters.clone();
        let mut along = |place: usize, by: f64| -> f64 {
            let here = parameters[place];
            parameters[place] += by;
            let outputs = self.forward(&parameters);
            parameters[place] = here;
            outputs.iter().zip(derivative).map(|(z, d)| z * d).sum()
        };
        (0..self.parameters.len())
            .map(|place| (along(place, step) - along(place, -step)) / (2.0 * step))
            .collect()
    }
}

impl Body for Slow<'_> {
    fn width(&self) -> usize {
        self.twin.network.outputs
    }

    fn outputs(&mut self, set: Set) -> &[f64] {
        self.last = match set {
            Set::Support => SUPPORT.iter().map(|one| one.0).collect(),
            Set::Validation => Vec::new(),
            Set::Asked => ASKED.to_vec(),
        };
        self.outputs = self.forward(&self.parameters);
        &self.outputs
    }

    fn learn(&mut self, derivative: &[f64]) {
        let gradient = self.gradient(derivative);
        self.adam.update(&mut self.parameters, &gradient);
    }
}

fn slow<'a>(network: &Network, data: Dataset<'a>, recipe: &Recipe, flat: &[f32]) -> Slow<'a> {
    Slow {
        twin: Twin::plain(network),
        data,
        parameters: flat.iter().map(|&w| f64::from(w)).collect(),
        adam: Adam::new(
            flat.len(),
            recipe.learning_rate,
            recipe.epsilon,
            recipe.form,
        ),
        last: Vec::new(),
        outputs: Vec::new(),
    }
}

#[test]
fn gradients_agree_with_differences() {
    let (features, labels) = records(12, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let recipe = Recipe::PUBLISHED;
    let support: Vec<u32> = SUPPORT.iter().map(|one| one.0).collect();
    for activation in ACTIVATIONS {
        let network = network(activation, &[7, 5]);
        let flat = flatten(&Model::initial(&network, Seed(2)).unwrap());
        let mut twin = slow(&network, data, &recipe, &flat);
        twin.outputs(Set::Support);
        let derivative: Vec<f64> = (0..24).map(|i| f64::from(i).sin()).collect();
        let expected = twin.gradient(&derivative);
        let mut body = Tunable::new(&network, data, [&support, &[], &ASKED], &recipe, 1e-3);
        body.start_from(&flat);
        body.outputs(Set::Support);
        let mut found = vec![0.0; flat.len()];
        body.backward(&derivative, |range, _, gradient| {
            found[range].copy_from_slice(gradient);
        });
        for (found, expected) in found.iter().zip(&expected) {
            assert!(
                (f64::from(*found) - expected).abs() < 1e-5,
                "{activation:?} {found} {expected}"
            );
        }
    }
}

#[test]
fn a_whole_tuning_agrees_with_its_slow_twin() {
    let (features, labels) = records(12, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let sides = SUPPORT.map(|one| one.1);
    let lesson = Lesson {
        support: &SUPPORT,
        validation: &[],
        asked: &ASKED,
    };
    for recipe in [Recipe::PUBLISHED, Recipe::DHILLON] {
        // Large enough that the model's own weights matter.
        let recipe = Recipe {
            learning_rate: 5e-3,
            epochs: 10,
            ..recipe
        };
        let network = network(Activation::Tanh, &[7, 5]);
        let model = Model::initial(&network, Seed(2)).unwrap();
        let mut twin = slow(&network, data, &recipe, &flatten(&model));
        let head = tune(&mut twin, &sides, &[], 3.0, &recipe);
        let expected = head.probabilities(twin.outputs(Set::Asked));
        let tuner = FineTuner::new(&model, data).unwrap();
        // Twice at the same temperature: nothing is left of a tuning in the next.
        let found = tuner.tune(&lesson, &[3.0, 3.0], &recipe).unwrap();
        assert_eq!(found[0], found[1]);
        let still = FineTuner::new(&model, data).unwrap();
        let still = still.with_body_learning_rate(0.0);
        let still = still.tune(&lesson, &[3.0], &recipe).unwrap();
        for (place, expected) in expected.iter().enumerate() {
            let found = found[0].asked[place];
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        }
        let moved = found[0].asked[0] - still[0].asked[0];
        assert!(moved.abs() > 1e-3, "{moved}");
    }
}

/// A model that hands its inputs on and stands still leaves the head alone: the published vectors.
#[test]
fn a_model_that_stands_still_gives_the_head_s_vectors() {
    let network = Network {
        inputs: 3,
        hidden: vec![],
        activation: Activation::Relu,
        outputs: 3,
    };
    let identity: Vec<f32> = (0..9).map(|i| f32::from(u8::from(i % 4 == 0))).collect();
    let tensors: [(&str, &[usize], &[f32]); 2] = [
        ("0.weight", &[3, 3], &identity),
        ("0.bias", &[3], &[0.0; 3]),
    ];
    let model = Model::from_tensors(&network, tensors).unwrap();
    let features = [
        2.0, -1.0, 0.5, 1.5, 0.2, 0.1, -0.5, 1.8, 0.7, 0.1, 1.2, 0.9, 1.8, 0.1, 0.3, 0.2, 1.5, 0.8,
        1.0, 0.9, 0.4,
    ];
    let data = Dataset::new(&features, &[0; 7], 3).unwrap();
    let tuner = FineTuner::new(&model, data).unwrap();
    let tuner = tuner.with_body_learning_rate(0.0);
    let lesson = Lesson {
        support: &[(0, true), (1, true), (2, false), (3, false)],
        validation: &[],
        asked: &[4, 5, 6],
    };
    for (recipe, temperature, scores) in [
        (
            Recipe::PUBLISHED,
            7.0,
            [0.8245974014, 0.2138651597, 0.5214635884],
        ),
        (
            Recipe::DHILLON,
            1.0,
            [0.7013008219, 0.3195447972, 0.5168383971],
        ),
    ] {
        let found = tuner.tune(&lesson, &[temperature], &recipe).unwrap();
        for (found, expected) in found[0].asked.iter().zip(scores) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }
}

#[test]
fn what_cannot_be_tuned_on_is_refused() {
    let (features, labels) = records(12, 6, 4);
    let data = Dataset::new(&features, &labels, 4).unwrap();
    let model = Model::initial(&network(Activation::Relu, &[5]), Seed(1)).unwrap();
    let tuner = FineTuner::new(&model, data).unwrap();
    let with = |support: &[(u32, bool)], asked: &[u32]| {
        let lesson = Lesson {
            support,
            validation: &[],
            asked,
        };
        tuner.tune(&lesson, &[7.0], &Recipe::PUBLISHED)
    };
    assert!(with(&SUPPORT[..3], &ASKED).is_err());
    let error = with(&SUPPORT, &[12]).unwrap_err().to_string();
    assert!(error.contains("row 12"), "{error}");
    assert_eq!(with(&SUPPORT, &[]).unwrap()[0].asked.len(), 0);
}
