//! Native DP-SGD on a file with canaries: what the model made of each of them, as scores for an audit.
//!
//! ```sh
//! python examples/dp-sgd/make_data.py
//! guestlist canaries classifier --data data.npz --label y --design random-features
//! cargo run --release -p guestlist --example dp_sgd -- canaries > scores.csv
//! guestlist audit scores.csv --kind scores --canaries canaries/manifest.json --claim-epsilon 4 --claim-delta 1e-5
//! ```
//!
//! A second argument breaks the training and leaves the claim as it was: `noise`, `clipping` or `sampling`.

#![allow(clippy::print_stdout)] // it shows what it found

use std::f64::consts::PI;
use std::path::Path;

use formats::data::{self, ColumnKind, Records, Wanted};
use guestlist::Progress;
use guestlist::canaries::{Manifest, Role};
use stats::streams::{Seed, standard_normal, uniform};
use train::privacy::accountant::noise_for;
use train::{Activation, Dataset, Model, Network, Noise, Optimiser, Privacy, Recipe, logits};

const EPSILON: f64 = 4.0;
const DELTA: f64 = 1e-5;
const STEPS: u32 = 10;
/// Cosines that stand for a narrow Gaussian kernel (Rahimi & Recht 2007), so that every record has a direction
/// of its own, and the length of a record in them.
const COSINES: usize = 16_384;
const WIDTH: f64 = 0.5;
const LENGTH: f64 = 20.0;

fn main() -> guestlist::Result<()> {
    let mut arguments = std::env::args();
    let folder = arguments.nth(1).unwrap_or("canaries".into());
    let broken = arguments.next().unwrap_or_default();
    let manifest = Manifest::read(Path::new(&folder))?;
    let training = data::read(&manifest.verified(Role::Training)?, &Wanted::label("y"))?;
    let wanted = Wanted {
        ignore: vec!["ids".to_owned()],
        ..Wanted::label("y")
    };
    let canaries = data::read(&manifest.verified(Role::Records)?, &wanted)?;
    println!("id,phi");
    for (canary, phi) in manifest
        .canaries()?
        .iter()
        .zip(scores(&training, &canaries, &broken)?)
    {
        println!("{},{phi}", canary.id);
    }
    Ok(())
}

/// How much more the model came to think of the canaries' labels than it did at first.
fn scores(training: &Records, canaries: &Records, broken: &str) -> guestlist::Result<Vec<f64>> {
    let (features, seen) = (cosines(training), cosines(canaries));
    let classes = training.classes.len();
    let data = Dataset::new(&features, &training.labels, classes)?;
    let asked = Dataset::new(&seen, &canaries.labels, classes)?;
    let network = Network {
        inputs: COSINES,
        hidden: Vec::new(),
        activation: Activation::Relu,
        outputs: classes,
    };
    let rows: Vec<u32> = (0..training.labels.len() as u32).collect();
    let (recipe, seed) = (recipe(rows.len(), broken)?, Seed(0));
    let trained = train::train(&network, &recipe, &data, &rows, seed, Progress::unwatched())?;
    let before = phi(&Model::initial(&network, seed)?, &asked, &canaries.labels)?;
    let after = phi(&trained.model, &asked, &canaries.labels)?;
    Ok(after
        .iter()
        .zip(before)
        .map(|(after, before)| after - before)
        .collect())
}

/// Few small steps over all records: every gradient stays clipped, and what is spent can be seen.
fn recipe(rows: usize, broken: &str) -> guestlist::Result<Recipe> {
    // The accountant is told of batches of one in fifty, or of all records.
    let rate = if broken == "sampling" { 0.02 } else { 1.0 };
    let noise = noise_for(EPSILON, DELTA, rate, u64::from(STEPS))?;
    let (clip_norm, noise) = match broken {
        "noise" => (1.0, 0.0),
        // Noise for records of norm one, and records that are not clipped to it.
        "clipping" => (1e3, noise / 1e3),
        _ => (1.0, noise),
    };
    Ok(Recipe {
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
            delta: DELTA,
        }),
        ..Recipe::default()
    })
}

/// Records as they lie in the file, in directions that are fixed before any data are seen.
fn cosines(records: &Records) -> Vec<f32> {
    let mut rng = Seed(7).stream("cosines");
    let width = records.width;
    let frequencies: Vec<f64> = (0..width * COSINES)
        .map(|_| standard_normal(&mut rng) / WIDTH)
        .collect();
    let phases: Vec<f64> = (0..COSINES).map(|_| 2.0 * PI * uniform(&mut rng)).collect();
    let scale = LENGTH * (2.0 / COSINES as f64).sqrt();
    let mut made = Vec::with_capacity(records.labels.len() * COSINES);
    for row in records.features.chunks_exact(width) {
        let values = unscaled(row, records);
        for (wave, phase) in frequencies.chunks_exact(width).zip(&phases) {
            let angle: f64 = wave.iter().zip(&values).map(|(a, b)| a * b).sum();
            made.push((scale * (angle + phase).cos()) as f32);
        }
    }
    made
}

/// Features come less their mean and divided by their deviation in the file, which differ between the training file
/// and the canaries: a canary must look the same in both.
fn unscaled(row: &[f32], records: &Records) -> Vec<f64> {
    let scales = records
        .columns
        .iter()
        .filter_map(|column| match column.kind {
            ColumnKind::Number { mean, deviation } => Some((mean, deviation)),
            _ => None,
        });
    row.iter()
        .zip(scales)
        .map(|(value, (mean, deviation))| f64::from(*value) * deviation + mean)
        .collect()
}

/// The logit of a record's own class less the log-sum-exp of the others'.
fn phi(model: &Model, data: &Dataset, labels: &[u32]) -> guestlist::Result<Vec<f64>> {
    let classes = data.classes();
    let mut given = vec![0.0; classes * labels.len()];
    logits(model, data, None, &mut given)?;
    let own = |(row, label): (&[f32], &u32)| {
        let others = row
            .iter()
            .enumerate()
            .filter(|(class, _)| *class != *label as usize);
        let total: f64 = others.map(|(_, value)| f64::from(*value).exp()).sum();
        f64::from(row[*label as usize]) - total.ln()
    };
    Ok(given.chunks_exact(classes).zip(labels).map(own).collect())
}
