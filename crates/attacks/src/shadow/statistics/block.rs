//! A block of records in plain double precision: small enough to stay in a core's cache while
//! several statistics pass over it.

use std::ops::Range;

use crate::signals::shadow::{Rescale, ShadowSignals};

/// Numbers of φ that one block holds: 256 KiB, and as much again for the membership.
const BLOCK_VALUES: usize = 1 << 15;

/// How many records make a block for so many shadows: a multiple of 64, whatever the threads.
pub(crate) fn block_records(shadows: usize) -> usize {
    let fit = BLOCK_VALUES / shadows.max(1);
    (fit / 64 * 64).clamp(64, 4096)
}

/// φ of target and shadows, and the shadows' membership, for a run of records.
#[derive(Default)]
pub(crate) struct Block {
    records: usize,
    phi: Vec<f64>,
    weight: Vec<f64>,
    target: Vec<f64>,
}

impl Block {
    /// Fills the block, reusing its memory.
    pub fn load(
        &mut self,
        signals: &ShadowSignals,
        records: Range<usize>,
        augmentation: usize,
        rescale: Rescale,
    ) {
        let length = records.len();
        self.records = length;
        self.phi.resize(length * signals.shadows.len(), 0.0);
        self.weight.resize(length * signals.shadows.len(), 0.0);
        self.target.resize(length, 0.0);
        let outputs = &signals.outputs;
        outputs.phi(
            signals.target,
            records.clone(),
            augmentation,
            rescale,
            &mut self.target,
        );
        for (k, (&model, members)) in signals.shadows.iter().zip(&signals.members).enumerate() {
            let row = k * length..(k + 1) * length;
            outputs.phi(
                model,
                records.clone(),
                augmentation,
                rescale,
                &mut self.phi[row.clone()],
            );
            members.weights(records.start, &mut self.weight[row]);
        }
    }

    pub fn len(&self) -> usize {
        self.records
    }

    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// φ and membership (1.0 or 0.0) of every record under each shadow in turn.
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        self.phi
            .chunks_exact(self.records)
            .zip(self.weight.chunks_exact(self.records))
    }

    /// One record's values under all shadows, copied into `column`.
    pub fn column(&self, record: usize, column: &mut Column) {
        column.target = self.target[record];
        column.phi.clear();
        column.inside.clear();
        for (phi, weight) in self.rows() {
            column.phi.push(phi[record]);
            column.inside.push(weight[record] == 1.0);
        }
    }
}

/// One record under the target and under every shadow.
#[derive(Clone, Debug, Default)]
pub struct Column {
    pub target: f64,
    pub phi: Vec<f64>,
    pub inside: Vec<bool>,
}

impl Column {
    /// The φ of the shadows that did (or did not) train on the record, in model order.
    pub fn class(&self, inside: bool) -> impl Iterator<Item = f64> + '_ {
        self.phi
            .iter()
            .zip(&self.inside)
            .filter(move |(_, is_inside)| **is_inside == inside)
            .map(|(phi, _)| *phi)
    }
}
