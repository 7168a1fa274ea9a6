//! DP-SGD of the native trainer, held against the ε that it claims by canaries in one run: a right
//! implementation is never refuted, and one that leaves out the noise, the clipping or the sampling is.
//!
//! Every canary has a feature of its own, so that no other record moves its weights: what is left of it in the
//! model is the sum of its clipped gradients and the noise, the most that anyone could see.

#![allow(clippy::unwrap_used)]

use base::Progress;
use guestlist_judge::epsilon::coins::CoinGuesses;
use guestlist_judge::epsilon::gaussian::epsilon_of;
use guestlist_judge::epsilon::{Claim, Mechanism};
use rayon::prelude::*;
use stats::streams::{Seed, standard_normal, uniform};
use train::privacy::accountant::{noise_for, spent};
use train::{Activation, Dataset, Model, Network, Noise, Optimiser, Privacy, Recipe, logits};

const RECORDS: usize = 500;
const CANARIES: usize = 1000;
const COLUMNS: usize = 10;
const WIDTH: usize = COLUMNS + CANARIES;
/// Large enough that a canary's gradient is clipped.
const SIZE: f32 = 20.0;
const STEPS: u32 = 10;
const CLAIM: Claim = Claim {
    confidence: 0.95,
    delta: 1e-5,
};

/// What is trained in one run, and who of the canaries is in it.
struct Drawn {
    features: Vec<f32>,
    labels: Vec<u32>,
    included: Vec<bool>,
}

fn drawn(seed: Seed) -> Drawn {
    let mut rng = seed.stream("data");
    let mut features = vec![0.0; (RECORDS + CANARIES) * WIDTH];
    let mut labels = Vec::with_capacity(RECORDS + CANARIES);
    for (row, values) in features.chunks_exact_mut(WIDTH).enumerate() {
        let label = u32::from(uniform(&mut rng) < 0.5);
        labels.push(label);
        match row.checked_sub(RECORDS) {
            Some(canary) => values[COLUMNS + canary] = SIZE,
            None => {
                for value in &mut values[..COLUMNS] {
                    *value = (standard_normal(&mut rng) + f64::from(label) - 0.5) as f32;
                }
            }
        }
    }
    let included = (0..CANARIES).map(|_| uniform(&mut rng) < 0.5).collect();
    Drawn {
        features,
        labels,
        included,
    }
}

/// DP-SGD over all records at once. Steps are small, so that a canary's gradient is clipped to the last.
fn recipe(rows: usize, clip_norm: f64, noise: f64) -> Recipe {
    Recipe {
        epochs: STEPS,
        batch_size: rows,
        optimiser: Optimiser::Sgd {
            momentum: 0.0,
            nesterov: false,
        },
        learning_rate: 0.001 * rows as f64,
        privacy: Some(Privacy {
            clip_norm,
            noise: Noise::Multiplier(noise),
            delta: CLAIM.delta,
        }),
        ..Recipe::default()
    }
}

/// What one run proves: of any mechanism, and of one that adds Gaussian noise.
struct Proved {
    any: f64,
    gaussian: f64,
}

/// Canaries are scored by how much more the model came to think of their labels than it did at first.
fn bound(seed: u64, clip_norm: f64, noise: f64) -> Proved {
    let seed = Seed(seed);
    let run = drawn(seed);
    let data = Dataset::new(&run.features, &run.labels, 2).unwrap();
    let chosen = (0..CANARIES).filter(|canary| run.included[*canary]);
    let rows: Vec<u32> = (0..RECORDS)
        .chain(chosen.map(|canary| RECORDS + canary))
        .map(|row| row as u32)
        .collect();
    let network = Network {
        inputs: WIDTH,
        hidden: Vec::new(),
        activation: Activation::Relu,
        outputs: 2,
    };
    let recipe = recipe(rows.len(), clip_norm, noise);
    let trained = train::train(&network, &recipe, &data, &rows, seed, Progress::unwatched());
    let before = phi(&Model::initial(&network, seed).unwrap(), &data, &run.labels);
    let after = phi(&trained.unwrap().model, &data, &run.labels);
    let scored: Vec<(f64, bool)> = (0..CANARIES)
        .map(|canary| {
            let row = RECORDS + canary;
            (after[row] - before[row], run.included[canary])
        })
        .collect();
    let under = |mechanism: Mechanism| {
        let guesses = CoinGuesses::new(&scored, &[], 1, seed).of_mechanism(mechanism);
        guesses.bound(&CLAIM).0
    };
    Proved {
        any: under(Mechanism::Any),
        gaussian: under(Mechanism::Gaussian),
    }
}

fn phi(model: &Model, data: &Dataset, labels: &[u32]) -> Vec<f64> {
    let mut given = vec![0.0; 2 * labels.len()];
    logits(model, data, None, &mut given).unwrap();
    let own = |(pair, label): (&[f32], &u32)| {
        f64::from(pair[*label as usize] - pair[1 - *label as usize])
    };
    given.chunks_exact(2).zip(labels).map(own).collect()
}

fn bounds(runs: u64, clip_norm: f64, noise: f64) -> Vec<Proved> {
    (0..runs)
        .into_par_iter()
        .map(|seed| bound(seed, clip_norm, noise))
        .collect()
}

/// Steps over all records with noise of their root are one Gaussian mechanism of deviation one, whose ε is
/// known exactly.
fn right_noise() -> f64 {
    f64::from(STEPS).sqrt()
}

fn epsilon() -> f64 {
    epsilon_of(1.0, CLAIM.delta)
}

/// Mean, how many lie above ε, and how many reach a third of it.
fn summary(found: &[f64]) -> (f64, usize, usize) {
    let count = |least: f64| found.iter().filter(|value| **value >= least).count();
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    (mean, count(epsilon()), count(epsilon() / 3.0))
}

#[test]
fn a_right_implementation_is_not_refuted_and_a_third_of_epsilon_is_seen() {
    let found = bounds(200, 1.0, right_noise());
    let any: Vec<f64> = found.iter().map(|proved| proved.any).collect();
    let gaussian: Vec<f64> = found.iter().map(|proved| proved.gaussian).collect();
    let (any, gaussian) = (summary(&any), summary(&gaussian));
    // Seen with --nocapture: the numbers of the guide.
    println!(
        "of {:.2}: (mean, above, at least a third) of 200: any {any:?}, Gaussian {gaussian:?}",
        epsilon()
    );
    assert_eq!((any.1, gaussian.1), (0, 0));
    assert!(any.0 >= epsilon() / 3.0, "{any:?}");
    // Steps over all records are one Gaussian mechanism, so that its curve may be held against them; in one
    // run a third of ε is then seen nearly always.
    assert!(
        gaussian.0 >= 0.4 * epsilon() && gaussian.2 >= 190,
        "{gaussian:?}"
    );
    // What the accountant claims is no less than what is spent.
    let claimed = spent(right_noise(), 1.0, u64::from(STEPS), CLAIM.delta);
    assert!(claimed.epsilon >= epsilon());
}

fn refuted(found: &[Proved]) -> bool {
    let both = |proved: &Proved| proved.any.min(proved.gaussian);
    found.iter().all(|proved| both(proved) > epsilon())
}

#[test]
fn noise_that_is_left_out_is_caught() {
    let found = bounds(5, 1.0, 0.0);
    assert!(refuted(&found));
}

/// Noise for records of norm one, and records that are not clipped to it.
#[test]
fn clipping_that_does_not_clip_is_caught() {
    let found = bounds(5, 1000.0, right_noise() / 1000.0);
    assert!(refuted(&found));
}

/// The accountant was told of batches of one in fifty; every record is in every batch.
#[test]
fn sampling_that_does_not_sample_is_caught() {
    let noise = noise_for(epsilon(), CLAIM.delta, 0.02, u64::from(STEPS)).unwrap();
    assert!(spent(noise, 1.0, u64::from(STEPS), CLAIM.delta).epsilon > 3.0 * epsilon());
    let found = bounds(5, 1.0, noise);
    assert!(refuted(&found), "{noise}");
}
