//! Do models follow their own rows of `keep`? Rows in another order than the models, or records moved by
//! one, leave every attack at chance, whatever leaks: but the outputs then follow another row.

use attacks::signals::shadow::ShadowSignals;
use rayon::prelude::*;

/// So many shadows show whether rows were mixed up.
const MODELS: usize = 64;
/// And so many records, in runs that are spread evenly.
const RUNS: usize = 256;
const RUN: usize = 8;
/// Deviations beyond which outputs follow a row, among thousands of rows that were looked at; and below
/// which they do not follow their own.
const FOLLOWS: f64 = 7.0;
const DOES_NOT: f64 = 3.0;

/// Shadows that were looked at, and those of them that follow another row than their own, or their own
/// moved by a record.
pub fn misplaced(signals: &ShadowSignals) -> (usize, usize) {
    let models = signals.shadows.len().min(MODELS);
    let places = places(signals.records());
    if models < 4 || places.len() < 64 {
        return (0, 0);
    }
    let residuals = residuals(signals, models, &places);
    let rows: Vec<Vec<f64>> = (0..models).map(|k| row(signals, k, &places, 0)).collect();
    let astray = (0..models).into_par_iter().filter(|&model| {
        let follows = |row: &[f64]| correlation(&residuals[model], row);
        let others = rows.iter().enumerate().filter(|(k, _)| *k != model);
        let moved = [-1, 1].map(|by| follows(&row(signals, model, &places, by)));
        let best = others.map(|(_, row)| follows(row)).chain(moved);
        follows(&rows[model]) < DOES_NOT && best.fold(0.0, f64::max) > FOLLOWS
    });
    (models, astray.count())
}

/// Records in runs, none at an edge, so that each has neighbours.
fn places(records: usize) -> Vec<usize> {
    let step = (records / RUNS).max(RUN);
    let starts = (1..records.saturating_sub(1)).step_by(step);
    let runs = starts.flat_map(|first| first..first + RUN);
    runs.filter(|place| place + 1 < records).collect()
}

/// φ of each model less the mean over models, record by record.
fn residuals(signals: &ShadowSignals, models: usize, places: &[usize]) -> Vec<Vec<f64>> {
    let phi = |k: usize| -> Vec<f64> {
        let mut values = [0.0; RUN];
        let mut found = Vec::with_capacity(places.len());
        for run in places.chunks(RUN) {
            let (first, last) = (run[0], run[run.len() - 1] + 1);
            let model = signals.shadows[k];
            signals.outputs.mean_phi(model, first..last, &mut values);
            found.extend_from_slice(&values[..last - first]);
        }
        found
    };
    let mut phi: Vec<Vec<f64>> = (0..models).into_par_iter().map(phi).collect();
    for place in 0..places.len() {
        let mean = phi.iter().map(|row| row[place]).sum::<f64>() / models as f64;
        phi.iter_mut().for_each(|row| row[place] -= mean);
    }
    phi
}

/// Who was a member of a model, as numbers around zero; each record's neighbour by so much.
fn row(signals: &ShadowSignals, k: usize, places: &[usize], by: isize) -> Vec<f64> {
    let inside = |place: &usize| signals.members[k].get(place.saturating_add_signed(by));
    let row: Vec<f64> = places
        .iter()
        .map(|place| f64::from(u8::from(inside(place))))
        .collect();
    let mean = row.iter().sum::<f64>() / row.len() as f64;
    row.into_iter().map(|value| value - mean).collect()
}

/// In standard deviations of chance.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let square = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>();
    let spread = (square(a) * square(b) / a.len() as f64).sqrt();
    match spread > 0.0 && product.is_finite() {
        true => product / spread,
        false => 0.0,
    }
}
