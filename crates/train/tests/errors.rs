//! Every refusal names what is wrong and what to do.

#![allow(clippy::unwrap_used)]

use base::Progress;
use guestlist_train::{
    Activation, ClassWeights, Dataset, EarlyStop, Error, ErrorKind, Model, Network, Noise,
    Optimiser, Privacy, Recipe, Schedule, logits, train,
};
use stats::streams::Seed;

const FEATURES: [f32; 12] = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];
const LABELS: [u32; 6] = [0, 1, 2, 0, 1, 2];

fn network() -> Network {
    Network {
        inputs: 2,
        hidden: vec![4],
        activation: Activation::Relu,
        outputs: 3,
    }
}

fn attempt(network: &Network, recipe: &Recipe, rows: &[u32]) -> Error {
    let data = Dataset::new(&FEATURES, &LABELS, 3).unwrap();
    train(network, recipe, &data, rows, Seed(1), Progress::unwatched()).unwrap_err()
}

fn assert_says(error: &Error, kind: ErrorKind, words: &str) {
    assert_eq!(error.kind, kind, "{error}");
    assert!(error.message.contains(words), "{error}");
    assert!(
        error.hint.as_ref().is_some_and(|hint| !hint.is_empty()),
        "{error}"
    );
}

fn refused(change: impl FnOnce(&mut Recipe), words: &str) {
    let mut recipe = Recipe::default();
    change(&mut recipe);
    let error = attempt(&network(), &recipe, &[0, 1, 2, 3, 4, 5]);
    assert_says(&error, ErrorKind::Setting, words);
}

#[test]
fn data_that_cannot_be_used_is_named() {
    let wrong = |features: &[f32], labels: &[u32], words: &str| {
        assert_says(
            &Dataset::new(features, labels, 3).unwrap_err(),
            ErrorKind::Malformed,
            words,
        );
    };
    wrong(&FEATURES[..11], &LABELS, "11 features for 6 labels");
    wrong(&[], &[], "0 features for 0 labels");
    wrong(&FEATURES, &[0, 1, 2, 0, 7, 2], "record 4 has label 7");
    let mut features = FEATURES;
    features[7] = f32::NAN;
    wrong(&features, &LABELS, "row 3, column 1 is NaN");
    features[7] = f32::NEG_INFINITY;
    wrong(&features, &LABELS, "row 3, column 1 is -inf");
}

#[test]
fn rows_that_cannot_be_used_are_named() {
    let says = |rows: &[u32], words| {
        assert_says(
            &attempt(&network(), &Recipe::default(), rows),
            ErrorKind::Malformed,
            words,
        );
    };
    says(&[0, 6], "row 6 asked for, but there are 6 records");
    says(&[0, 3], "fewer than two classes");
    says(&[], "fewer than two classes");
}

#[test]
fn shapes_that_disagree_are_named() {
    let says = |change: fn(&mut Network), words| {
        let mut changed = network();
        change(&mut changed);
        assert_says(
            &attempt(&changed, &Recipe::default(), &[0, 1]),
            ErrorKind::Mismatch,
            words,
        );
    };
    says(|n| n.inputs = 3, "3 inputs, the data 2");
    says(|n| n.outputs = 4, "4 classes, the data 3");
    says(|n| n.hidden = vec![4, 0], "no units");
}

#[test]
fn settings_that_make_no_sense_are_named() {
    refused(|r| r.epochs = 0, "epochs is 0");
    refused(|r| r.batch_size = 0, "batch_size is 0");
    refused(|r| r.learning_rate = f64::NAN, "learning_rate is NaN");
    refused(|r| r.learning_rate = 0.0, "learning_rate is 0");
    refused(|r| r.weight_decay = -1.0, "weight_decay is -1");
    refused(|r| r.dropout = 1.0, "dropout is 1");
    refused(|r| r.label_smoothing = 1.5, "label_smoothing is 1.5");
    refused(|r| r.clip_norm = Some(0.0), "clip_norm is 0");
    refused(|r| r.optimiser = Optimiser::sgd(1.0), "momentum is 1");
    refused(
        |r| {
            r.optimiser = Optimiser::Sgd {
                momentum: 0.0,
                nesterov: true,
            }
        },
        "momentum is 0",
    );
    refused(
        |r| {
            r.optimiser = Optimiser::Adam {
                beta1: 0.9,
                beta2: 1.0,
                epsilon: 1e-8,
            }
        },
        "beta2 is 1",
    );
    refused(
        |r| {
            r.schedule = Schedule::Step {
                every: 0,
                factor: 0.1,
            }
        },
        "every 0 epochs",
    );
    refused(
        |r| r.schedule = Schedule::WarmUpCosine { epochs: 50 },
        "warm-up lasts 50 of 50",
    );
    refused(
        |r| r.class_weights = ClassWeights::Given(vec![1.0]),
        "class_weights has 1 for 3 classes",
    );
    refused(
        |r| r.class_weights = ClassWeights::Given(vec![1.0, 2.0, -3.0]),
        "class_weights has -3 for class 2",
    );
    let stop = |held_out, patience| Some(EarlyStop { held_out, patience });
    refused(|r| r.early_stop = stop(0.01, 5), "holds out 0.01 of 6 rows");
    refused(|r| r.early_stop = stop(1.0, 5), "holds out 1 of 6 rows");
    refused(|r| r.early_stop = stop(0.5, 0), "patience 0");
}

fn privacy() -> Privacy {
    Privacy {
        clip_norm: 1.0,
        noise: Noise::Multiplier(1.0),
        delta: 1e-5,
    }
}

#[test]
fn privacy_that_would_not_hold_is_refused() {
    let with = |change: fn(&mut Privacy)| {
        let mut changed = privacy();
        change(&mut changed);
        Some(changed)
    };
    refused(
        |r| r.privacy = with(|p| p.clip_norm = 0.0),
        "privacy.clip_norm is 0",
    );
    refused(
        |r| r.privacy = with(|p| p.delta = 1.0),
        "privacy.delta is 1",
    );
    refused(
        |r| r.privacy = with(|p| p.noise = Noise::Multiplier(-1.0)),
        "privacy.noise_multiplier is -1",
    );
    refused(
        |r| r.privacy = with(|p| p.noise = Noise::TargetEpsilon(0.0)),
        "privacy.epsilon is 0",
    );
    let beside = |change: fn(&mut Recipe), words| {
        refused(
            |recipe| {
                recipe.privacy = Some(privacy());
                change(recipe);
            },
            words,
        );
    };
    let stop = |r: &mut Recipe| {
        r.early_stop = Some(EarlyStop {
            held_out: 0.5,
            patience: 1,
        });
    };
    beside(stop, "early_stop cannot go with privacy");
    beside(
        |r| r.class_weights = ClassWeights::Balanced,
        "class_weights cannot be balanced",
    );
    beside(
        |r| r.clip_norm = Some(1.0),
        "clip_norm cannot go with privacy",
    );
    let private = Recipe {
        privacy: Some(privacy()),
        ..Recipe::default()
    };
    assert_says(
        &attempt(&network(), &private, &[0, 1, 1]),
        ErrorKind::Setting,
        "a row was given twice",
    );
}

#[test]
fn divergence_names_the_epoch() {
    let recipe = Recipe {
        learning_rate: 1e30,
        optimiser: Optimiser::sgd(0.9),
        ..Recipe::default()
    };
    let error = attempt(&network(), &recipe, &[0, 1, 2, 3]);
    assert_says(&error, ErrorKind::Diverged, "diverged in epoch");
    assert!(
        error.to_string().contains("lower the learning rate"),
        "{error}"
    );
}

#[test]
fn tensors_and_buffers_that_do_not_fit_are_named() {
    let data = Dataset::new(&FEATURES, &LABELS, 3).unwrap();
    let model = Model::initial(&network(), Seed(1)).unwrap();
    let error = logits(&model, &data, None, &mut [0.0; 17]).unwrap_err();
    assert_says(
        &error,
        ErrorKind::Mismatch,
        "17 places for 6 rows of 3 outputs",
    );
    let tensors: Vec<_> = model.tensors().collect();
    let named: Vec<_> = tensors
        .iter()
        .map(|(n, s, v)| (&n[..], &s[..], *v))
        .collect();
    let attempt = |tensors: Vec<(&str, &[usize], &[f32])>| {
        Model::from_tensors(&network(), tensors).unwrap_err()
    };
    assert_says(
        &attempt(named[1..].to_vec()),
        ErrorKind::Mismatch,
        "0.weight is missing",
    );
    let mut more = named.clone();
    more.push(("9.weight", &[1], &[0.0]));
    assert_says(
        &attempt(more),
        ErrorKind::Mismatch,
        "5 tensors for 2 layers",
    );
    let mut turned = named.clone();
    turned[0].1 = &[2, 4];
    assert_says(&attempt(turned), ErrorKind::Mismatch, "0.weight is [2, 4]");
    let mut damaged = named.clone();
    damaged[1].2 = &[0.0, f32::NAN, 0.0, 0.0];
    assert_says(&attempt(damaged), ErrorKind::Mismatch, "0.bias holds NaN");
}
