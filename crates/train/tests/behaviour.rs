//! What a caller sees: learning, stopping, sameness, tensors in and out.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicU32, Ordering};

use base::{Cancel, Event, Progress, Sink};
use guestlist_train::{
    Activation, ClassWeights, Dataset, EarlyStop, ErrorKind, Model, Network, Noise, Optimiser,
    Privacy, Recipe, logits, train,
};
use stats::streams::{Seed, below, standard_normal};

const WIDTH: usize = 8;

/// Three clouds, two standard deviations apart, the first class twenty times as frequent.
fn clouds(count: usize, rare: bool) -> (Vec<f32>, Vec<u32>) {
    let mut rng = Seed(4).stream("clouds");
    let mut label = || match rare && below(&mut rng, 20) > 0 {
        true => 0,
        false => below(&mut rng, 3),
    };
    let labels: Vec<u32> = (0..count).map(|_| label()).collect();
    let mut rng = Seed(4).stream("features");
    let mut feature = |label: u32, column: usize| {
        let centre = if column % 3 == label as usize {
            2.0
        } else {
            0.0
        };
        (centre + standard_normal(&mut rng)) as f32
    };
    let features = labels
        .iter()
        .flat_map(|&l| (0..WIDTH).map(move |c| (l, c)))
        .map(|(l, c)| feature(l, c));
    (features.collect(), labels)
}

fn network(activation: Activation, hidden: &[usize]) -> Network {
    Network {
        inputs: WIDTH,
        hidden: hidden.to_vec(),
        activation,
        outputs: 3,
    }
}

fn all(data: &Dataset) -> Vec<u32> {
    (0..data.records() as u32).collect()
}

fn quick() -> Recipe {
    Recipe {
        epochs: 10,
        batch_size: 32,
        learning_rate: 0.01,
        ..Recipe::default()
    }
}

/// Share of each class that the model names right.
fn recall(model: &Model, data: &Dataset, labels: &[u32]) -> [f64; 3] {
    let mut outputs = vec![0.0; labels.len() * 3];
    logits(model, data, None, &mut outputs).unwrap();
    let mut counts = [(0.0, 0.0); 3];
    for (row, &label) in outputs.chunks(3).zip(labels) {
        let guess = (0..3).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
        let (right, all) = &mut counts[label as usize];
        *right += f64::from(u8::from(guess == label as usize));
        *all += 1.0;
    }
    counts.map(|(right, all)| right / all)
}

#[test]
fn every_kind_of_network_learns_the_clouds() {
    let (features, labels) = clouds(900, false);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    for activation in [Activation::Relu, Activation::Tanh, Activation::Gelu] {
        for hidden in [&[][..], &[16], &[16, 12]] {
            for optimiser in [Optimiser::sgd(0.9), Optimiser::adam(), Optimiser::adam_w()] {
                let recipe = Recipe {
                    optimiser,
                    ..quick()
                };
                let network = network(activation, hidden);
                let trained = train(
                    &network,
                    &recipe,
                    &data,
                    &all(&data)[..600],
                    Seed(1),
                    Progress::unwatched(),
                )
                .unwrap();
                let unseen: f64 = recall(&trained.model, &data, &labels).iter().sum::<f64>() / 3.0;
                assert!(unseen > 0.9, "{network:?} {optimiser:?} {unseen}");
                assert!(trained.history[9].training.accuracy > 0.9);
            }
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_alone_and_in_company() {
    let (features, labels) = clouds(333, false);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let network = network(Activation::Relu, &[33, 17]);
    let plain = Recipe {
        dropout: 0.2,
        ..quick()
    };
    let private = Recipe {
        privacy: Some(Privacy {
            clip_norm: 1.0,
            noise: Noise::Multiplier(1.0),
            delta: 1e-5,
        }),
        ..quick()
    };
    for recipe in [plain, private] {
        let one = |seed| {
            train(
                &network,
                &recipe,
                &data,
                &all(&data),
                Seed(seed),
                Progress::unwatched(),
            )
            .unwrap()
        };
        let alone = [one(1), one(2)];
        assert_eq!(alone[0], one(1));
        assert_ne!(alone[0].model, alone[1].model);
        let together = std::thread::scope(|scope| {
            let first = scope.spawn(|| one(1));
            [one(2), first.join().unwrap()]
        });
        assert!(alone[0] == together[1] && alone[1] == together[0]);
    }
}

#[test]
fn early_stop_stops_and_returns_the_best_epoch() {
    let (features, labels) = clouds(200, true);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let recipe = Recipe {
        epochs: 500,
        early_stop: Some(EarlyStop {
            held_out: 0.3,
            patience: 5,
        }),
        ..quick()
    };
    let trained = train(
        &network(Activation::Relu, &[64]),
        &recipe,
        &data,
        &all(&data),
        Seed(1),
        Progress::unwatched(),
    )
    .unwrap();
    let losses: Vec<f64> = trained
        .history
        .iter()
        .map(|e| e.held_out.unwrap().loss)
        .collect();
    let best = (0..losses.len())
        .min_by(|&a, &b| losses[a].total_cmp(&losses[b]))
        .unwrap();
    assert!(losses.len() < 500);
    assert_eq!(losses.len(), best + 1 + 5);
}

#[test]
fn class_weights_help_the_rare_classes() {
    let (features, labels) = clouds(1500, true);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let rare = |class_weights: ClassWeights| {
        let recipe = Recipe {
            class_weights,
            epochs: 2,
            learning_rate: 0.003,
            ..quick()
        };
        let network = network(Activation::Relu, &[]);
        let trained = train(
            &network,
            &recipe,
            &data,
            &all(&data),
            Seed(1),
            Progress::unwatched(),
        )
        .unwrap();
        let [_, second, third] = recall(&trained.model, &data, &labels);
        second + third
    };
    let plain = rare(ClassWeights::None);
    assert!(rare(ClassWeights::Balanced) > plain + 0.3);
    assert!(rare(ClassWeights::Given(vec![1.0, 20.0, 20.0])) > plain + 0.3);
}

#[test]
fn privacy_reports_what_it_spends_and_still_learns() {
    let (features, labels) = clouds(1500, false);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let recipe = Recipe {
        privacy: Some(Privacy {
            clip_norm: 1.0,
            noise: Noise::TargetEpsilon(4.0),
            delta: 1e-5,
        }),
        ..quick()
    };
    let trained = train(
        &network(Activation::Tanh, &[16]),
        &recipe,
        &data,
        &all(&data),
        Seed(1),
        Progress::unwatched(),
    )
    .unwrap();
    let spent = trained.privacy.unwrap();
    assert!(spent.epsilon <= 4.0 && spent.epsilon > 3.99, "{spent:?}");
    assert_eq!(spent.steps, 10 * 1500u64.div_ceil(32));
    assert!(
        trained.history[9].training.accuracy > 0.8,
        "{:?}",
        trained.history[9]
    );
}

/// Asks to stop after so many epochs, and counts them.
struct Impatient<'a>(AtomicU32, &'a Cancel);

impl Sink for Impatient<'_> {
    fn receive(&self, event: &Event<'_>) {
        if matches!(event, Event::Epoch { .. }) && self.0.fetch_add(1, Ordering::Relaxed) == 4 {
            self.1.request();
        }
    }
}

#[test]
fn a_cancelled_run_stops_at_the_next_batch() {
    let (features, labels) = clouds(500, false);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let recipe = Recipe {
        epochs: u32::MAX - 1,
        ..quick()
    };
    let cancel = Cancel::new();
    let impatient = Impatient(AtomicU32::new(0), &cancel);
    let error = train(
        &network(Activation::Relu, &[4]),
        &recipe,
        &data,
        &all(&data),
        Seed(1),
        Progress::new(&impatient, &cancel),
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
    assert_eq!(impatient.0.load(Ordering::Relaxed), 5, "not one epoch more");
}

#[test]
fn a_batch_larger_than_the_data_is_all_of_it() {
    let (features, labels) = clouds(50, false);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let with = |batch_size| {
        let recipe = Recipe {
            batch_size,
            ..quick()
        };
        train(
            &network(Activation::Relu, &[4]),
            &recipe,
            &data,
            &all(&data),
            Seed(1),
            Progress::unwatched(),
        )
        .unwrap()
    };
    assert_eq!(with(50), with(usize::MAX));
}

#[test]
fn tensors_go_out_and_come_back() {
    let network = network(Activation::Gelu, &[5, 4]);
    let model = Model::initial(&network, Seed(3)).unwrap();
    let tensors: Vec<_> = model.tensors().collect();
    let names: Vec<&str> = tensors.iter().map(|tensor| &tensor.0[..]).collect();
    assert_eq!(
        names,
        [
            "0.weight", "0.bias", "2.weight", "2.bias", "4.weight", "4.bias"
        ]
    );
    assert_eq!(tensors[2].1, [4, 5]);
    let borrowed = tensors
        .iter()
        .rev()
        .map(|(name, shape, values)| (&name[..], &shape[..], *values));
    assert_eq!(Model::from_tensors(&network, borrowed).unwrap(), model);
    let bound = 1.0 / (WIDTH as f32).sqrt();
    assert!(
        tensors[0].2.iter().all(|w| w.abs() <= bound)
            && tensors[0].2.iter().any(|w| w.abs() > 0.9 * bound)
    );
}

#[test]
fn logits_of_some_rows_are_those_of_all() {
    let (features, labels) = clouds(700, false);
    let data = Dataset::new(&features, &labels, 3).unwrap();
    let model = Model::initial(&network(Activation::Tanh, &[9]), Seed(3)).unwrap();
    let mut every = vec![0.0; 700 * 3];
    logits(&model, &data, None, &mut every).unwrap();
    let rows: Vec<u32> = (0..700).rev().step_by(3).collect();
    let mut some = vec![0.0; rows.len() * 3];
    logits(&model, &data, Some(&rows), &mut some).unwrap();
    for (&row, values) in rows.iter().zip(some.chunks(3)) {
        assert_eq!(values, &every[row as usize * 3..][..3]);
    }
}
