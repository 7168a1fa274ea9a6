//! The trainer against PyTorch itself, on loss curves made by `tests/data/pytorch_curves.py`.

use serde_json::Value;
use stats::streams::Seed;

use crate::dataset::Dataset;
use crate::model::Model;
use crate::network::{Activation, Network};
use crate::recipe::{ClassWeights, Optimiser, Recipe, Schedule};
use crate::training::train_from;
use base::Progress;

const NAMES: [(&str, &[usize]); 6] = [
    ("0.weight", &[7, 5]),
    ("0.bias", &[7]),
    ("2.weight", &[4, 7]),
    ("2.bias", &[4]),
    ("4.weight", &[3, 4]),
    ("4.bias", &[3]),
];

fn floats(value: &Value) -> Vec<f32> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap() as f32)
        .collect()
}

fn model(case: &Value, tensors: &str) -> Model {
    let network = Network {
        inputs: 5,
        hidden: vec![7, 4],
        activation: match case["activation"].as_str().unwrap() {
            "relu" => Activation::Relu,
            "tanh" => Activation::Tanh,
            _ => Activation::Gelu,
        },
        outputs: 3,
    };
    let values = NAMES.map(|(name, _)| floats(&case[tensors][name]));
    let named = NAMES
        .iter()
        .zip(&values)
        .map(|((name, shape), values)| (*name, *shape, &values[..]));
    Model::from_tensors(&network, named).unwrap()
}

fn recipe(case: &Value, epochs: u32) -> Recipe {
    let nesterov = Optimiser::Sgd {
        momentum: 0.9,
        nesterov: true,
    };
    let (optimiser, learning_rate) = match case["optimiser"].as_str().unwrap() {
        "sgd" => (Optimiser::sgd(0.0), 0.05),
        "momentum" => (Optimiser::sgd(0.9), 0.05),
        "nesterov" => (nesterov, 0.05),
        "adam" => (Optimiser::adam(), 0.02),
        _ => (Optimiser::adam_w(), 0.02),
    };
    Recipe {
        epochs,
        batch_size: 24,
        optimiser,
        learning_rate,
        weight_decay: case["weight_decay"].as_f64().unwrap_or(0.0),
        schedule: match case["schedule"].as_str().unwrap() {
            "cosine" => Schedule::Cosine,
            "step" => Schedule::Step {
                every: 10,
                factor: 0.3,
            },
            _ => Schedule::Constant,
        },
        class_weights: match &case["class_weights"] {
            Value::Null => ClassWeights::None,
            given => ClassWeights::Given(floats(given)),
        },
        clip_norm: case["clip_norm"].as_f64(),
        label_smoothing: case["label_smoothing"].as_f64().unwrap_or(0.0),
        ..Recipe::default()
    }
}

#[test]
fn loss_curves_and_final_weights_are_those_of_pytorch() {
    let text = include_str!("../../tests/data/pytorch_curves.json");
    let document: Value = serde_json::from_str(text).unwrap();
    let features = floats(&document["features"]);
    let labels: Vec<u32> = floats(&document["labels"])
        .iter()
        .map(|&l| l as u32)
        .collect();
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let rows: Vec<u32> = (0..labels.len() as u32).collect();
    let epochs = document["epochs"].as_u64().unwrap() as u32;
    for case in document["cases"].as_array().unwrap() {
        let recipe = recipe(case, epochs);
        let trained = train_from(
            model(case, "tensors"),
            &recipe,
            &data,
            &rows,
            Seed(0),
            Progress::unwatched(),
        )
        .unwrap();
        for (epoch, &loss) in trained.history.iter().zip(&floats(&case["losses"])) {
            let off = (epoch.training.loss - f64::from(loss)).abs();
            assert!(off < 1e-5, "{recipe:?} {epoch:?} {loss}");
        }
        let last = model(case, "final");
        for ((name, _, own), (_, _, theirs)) in trained.model.tensors().zip(last.tensors()) {
            let worst = own
                .iter()
                .zip(theirs)
                .fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
            assert!(worst < 1e-4, "{recipe:?} {name} {worst}");
        }
    }
}
