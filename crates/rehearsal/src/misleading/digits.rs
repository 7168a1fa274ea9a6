//! Models of handwritten digits that were trained on few of them, and so learned them by heart.

use base::Progress;
use formats::data::{self, Records, Wanted};
use rayon::prelude::*;
use stats::streams::{Seed, shuffle};
use train::{Activation, Dataset, Network, Optimiser, Recipe};

use super::broken;
use crate::demo::DIGITS;
use guestlist::Error;

/// What models make of the same records.
pub struct Models {
    /// By model, then by record: how sure of the true digit, as a logit.
    pub phi: Vec<Vec<f64>>,
    /// Whether the model trained on the record.
    pub keep: Vec<Vec<bool>>,
    /// Whether the first model gives the true digit the largest logit.
    pub right: Vec<bool>,
}

/// Trains models, each on a random half of so many digits.
pub fn models(seed: u64, records: usize, models: usize) -> Result<Models, Error> {
    repeated(seed, records, 1, models)
}

/// The same of digits that are in the data so many times, each copy drawn for itself.
pub fn repeated(seed: u64, records: usize, copies: usize, models: usize) -> Result<Models, Error> {
    let digits = read()?;
    let mut order: Vec<u32> = (0..digits.len() as u32).collect();
    shuffle(&mut Seed(seed).stream("digits"), &mut order);
    let chosen = order[..records.min(order.len())].repeat(copies);
    let outcomes: Vec<Outcome> = (0..models)
        .into_par_iter()
        .map(|model| outcome(&digits, &chosen, Seed(seed), model as u64))
        .collect::<Result<_, Error>>()?;
    let right = outcomes.first().map(|first| first.right.clone());
    let (phi, keep) = outcomes.into_iter().map(|one| (one.phi, one.keep)).unzip();
    Ok(Models {
        phi,
        keep,
        right: right.unwrap_or_default(),
    })
}

struct Outcome {
    phi: Vec<f64>,
    keep: Vec<bool>,
    right: Vec<bool>,
}

fn outcome(digits: &Records, chosen: &[u32], seed: Seed, model: u64) -> Result<Outcome, Error> {
    let classes = digits.classes.len();
    let untrained = |error| broken("the demonstration's model cannot be trained", error);
    let data = Dataset::new(&digits.features, &digits.labels, classes).map_err(untrained)?;
    let mut places: Vec<usize> = (0..chosen.len()).collect();
    shuffle(&mut seed.numbered("halves", model), &mut places);
    let mut keep = vec![false; chosen.len()];
    for place in &places[..chosen.len() / 2] {
        keep[*place] = true;
    }
    let trained_on = chosen.iter().zip(&keep).filter(|(_, kept)| **kept);
    let trained_on: Vec<u32> = trained_on.map(|(row, _)| *row).collect();
    let network = Network {
        inputs: digits.width,
        hidden: vec![64],
        activation: Activation::Relu,
        outputs: classes,
    };
    let own = Seed(seed.0.wrapping_add(model + 1));
    let trained = train::train(
        &network,
        &recipe(),
        &data,
        &trained_on,
        own,
        Progress::unwatched(),
    );
    let trained = trained.map_err(untrained)?;
    let mut logits = vec![0.0; chosen.len() * classes];
    train::logits(&trained.model, &data, Some(chosen), &mut logits).map_err(untrained)?;
    let rows = logits.chunks(classes).zip(chosen);
    let (phi, right) = rows
        .map(|(logits, row)| margin(logits, digits.labels[*row as usize] as usize))
        .unzip();
    Ok(Outcome { phi, keep, right })
}

fn recipe() -> Recipe {
    Recipe {
        epochs: 60,
        batch_size: 32,
        optimiser: Optimiser::adam(),
        learning_rate: 0.002,
        ..Recipe::default()
    }
}

/// ln p − ln(1 − p) of the true class, exactly, and whether it is the model's choice.
fn margin(logits: &[f32], label: usize) -> (f64, bool) {
    let others = || {
        let others = logits.iter().enumerate();
        others
            .filter(move |(class, _)| *class != label)
            .map(|(_, logit)| f64::from(*logit))
    };
    let largest = others().fold(f64::NEG_INFINITY, f64::max);
    let rest = others().map(|logit| (logit - largest).exp()).sum::<f64>();
    let own = f64::from(logits[label]);
    (own - largest - rest.ln(), own > largest)
}

fn read() -> Result<Records, Error> {
    let folder = tempfile::tempdir().map_err(|error| broken("no temporary folder", error))?;
    let path = folder.path().join("digits.csv.gz");
    formats::files::write(&path, DIGITS)?;
    data::read(&path, &Wanted::label("digit"))
}
