//! Seconds per epoch of the native trainer, as one JSON object on stdout: one model alone, and two
//! models at once in two threads. `torch_baseline.py` does the same with PyTorch.
//!
//! Arguments: EPOCHS per timed run (10), ROUNDS of which the best counts (5).

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use base::Progress;
use std::time::Instant;

use serde_json::{Value, json};
use stats::streams::{Seed, below, shuffle, uniform};
use train::{Activation, Dataset, Network, Optimiser, Recipe, Trained, train};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const RECORDS: usize = 5_000;
const TRAINING_ROWS: usize = 2_505;
const WIDTH: usize = 446;
const CLASSES: usize = 30;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().unwrap());
    let epochs = arguments.next().unwrap_or(10);
    let rounds = arguments.next().unwrap_or(5);
    let (features, labels) = records();
    let data = Dataset::new(&features, &labels, CLASSES).unwrap();
    let sgd = Recipe {
        learning_rate: 0.01,
        optimiser: Optimiser::sgd(0.9),
        epochs,
        ..Recipe::default()
    };
    let adam = Recipe {
        epochs,
        ..Recipe::default()
    };
    println!(
        "{}",
        json!({"sgd": timed(&data, &sgd, rounds), "adam": timed(&data, &adam, rounds)})
    );
}

/// Random bits that lean one way or the other by class, so that there is something to learn.
fn records() -> (Vec<f32>, Vec<u32>) {
    let mut rng = Seed(1).stream("records");
    let labels: Vec<u32> = (0..RECORDS)
        .map(|_| below(&mut rng, CLASSES as u32))
        .collect();
    let leaning: Vec<f64> = (0..CLASSES * WIDTH).map(|_| uniform(&mut rng)).collect();
    let bits = labels
        .iter()
        .flat_map(|&label| &leaning[label as usize * WIDTH..][..WIDTH]);
    let features = bits.map(|&p| {
        if uniform(&mut rng) < 0.3 + 0.4 * p {
            1.0
        } else {
            0.0
        }
    });
    (features.collect(), labels)
}

fn timed(data: &Dataset, recipe: &Recipe, rounds: u32) -> Value {
    let (mut one, mut two, mut loss) = (f64::INFINITY, f64::INFINITY, f64::NAN);
    for _ in 0..rounds {
        let start = Instant::now();
        loss = model(data, recipe, 0).history.last().unwrap().training.loss;
        one = one.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| model(data, recipe, 1));
            model(data, recipe, 2);
        });
        two = two.min(start.elapsed().as_secs_f64());
    }
    let epochs = f64::from(recipe.epochs);
    json!({
        "seconds_per_epoch_alone": one / epochs,
        "seconds_per_epoch_of_two": two / epochs,
        "models_per_hour_50_epochs": 2.0 * 3600.0 / (50.0 * two / epochs),
        "final_loss": loss,
    })
}

fn model(data: &Dataset, recipe: &Recipe, number: u64) -> Trained {
    let mut rows: Vec<u32> = (0..RECORDS as u32).collect();
    shuffle(&mut Seed(number).stream("rows"), &mut rows);
    let network = Network {
        inputs: WIDTH,
        hidden: vec![512, 256, 128],
        activation: Activation::Relu,
        outputs: CLASSES,
    };
    train(
        &network,
        recipe,
        data,
        &rows[..TRAINING_ROWS],
        Seed(number),
        Progress::unwatched(),
    )
    .unwrap()
}
