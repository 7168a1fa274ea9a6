//! Early stop: rows held out of training, and the best weights so far.

use stats::streams::{Seed, shuffle};

use crate::loss::Tally;
use crate::recipe::EarlyStop;

/// Split the rows into those to fit and those to hold out, by the stream "held out".
pub(crate) fn split(rows: &[u32], stop: Option<EarlyStop>, seed: Seed) -> (Vec<u32>, Vec<u32>) {
    let mut fit = rows.to_vec();
    let Some(stop) = stop else {
        return (fit, Vec::new());
    };
    shuffle(&mut seed.stream("held out"), &mut fit);
    let held_out = (rows.len() as f64 * stop.held_out).round() as usize;
    let rest = fit.split_off(rows.len() - held_out);
    (fit, rest)
}

/// The best weights seen, and how long ago that was.
pub(crate) struct Best {
    patience: u32,
    loss: f64,
    waited: u32,
    parameters: Vec<f32>,
}

impl Best {
    pub(crate) fn new(stop: EarlyStop, parameters: &[f32]) -> Self {
        Self {
            patience: stop.patience,
            loss: f64::INFINITY,
            waited: 0,
            parameters: parameters.to_vec(),
        }
    }

    /// Note an epoch's held-out loss; true when it is time to stop.
    pub(crate) fn note(&mut self, tally: Tally, parameters: &[f32]) -> bool {
        let loss = tally.loss / tally.weight;
        if loss < self.loss {
            self.loss = loss;
            self.waited = 0;
            self.parameters.copy_from_slice(parameters);
        } else {
            self.waited += 1;
        }
        self.waited >= self.patience
    }

    pub(crate) fn parameters(self) -> Vec<f32> {
        self.parameters
    }
}
