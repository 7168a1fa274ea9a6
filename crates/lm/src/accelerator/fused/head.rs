//! From states to what is said about each predicted token: blocks of logits in f32, each read once.

use candle_core::Result;
use candle_core::cuda::cudarc::driver::CudaSlice;

use super::super::TensorEngine;
use super::super::packed::Packed;
use super::Fused;
use super::kernels::Argument::{At, Count};
use super::kernels::Grid;
use super::product::Into;

/// Rows of logits times the vocabulary that are in memory at once.
const LOGITS: usize = 1 << 27;
/// Products do best with a multiple of so many rows.
const ROWS: usize = 128;
/// Numbers about each token: its log-probability, mean, variance, the first choice's log-probability.
const NUMBERS: usize = 4;

impl Fused {
    /// For each token how many are likelier, and its numbers.
    pub(in super::super) fn describe(
        &self,
        engine: &TensorEngine,
        packed: &Packed,
    ) -> Result<(Vec<u32>, Vec<f32>)> {
        let hidden = self.hidden(engine, packed)?;
        let count = packed.places.len();
        if count == 0 {
            return Ok((Vec::new(), Vec::new()));
        }
        let (vocabulary, width) = (engine.config.vocabulary, engine.config.width);
        let apart = vocabulary.next_multiple_of(8);
        let rows = rows_at_once(apart).min(count);
        let logits: CudaSlice<f32> = self.room(rows * apart)?;
        let described: CudaSlice<f32> = self.room(count * NUMBERS)?;
        let above: CudaSlice<u32> = self.room(count)?;
        let targets = self.device.clone_htod(&packed.targets)?;
        let head = engine.head.t()?;
        for begin in (0..count).step_by(rows) {
            let rows = rows.min(count - begin);
            let input = self.place(&hidden) + (begin * width * size_of::<u16>()) as u64;
            let out = Into::Exact(self.place(&logits), apart);
            self.product(input, rows, &head, out)?;
            let skipped = (begin * size_of::<u32>()) as u64;
            let arguments = [
                At(self.place(&described) + NUMBERS as u64 * skipped),
                At(self.place(&above) + skipped),
                At(self.place(&logits)),
                At(self.place(&targets) + skipped),
                Count(vocabulary as i32),
                Count(apart as i32),
            ];
            let grid = Grid::new(rows, 512);
            self.kernels
                .launch(&self.kernels.describe, grid, &arguments)?;
        }
        let above = self.device.clone_dtoh(&above)?;
        Ok((above, self.device.clone_dtoh(&described)?))
    }

    /// Logits of the token that follows the only row that predicts.
    pub(in super::super) fn following(
        &self,
        engine: &TensorEngine,
        packed: &Packed,
    ) -> Result<Vec<f32>> {
        let hidden = self.hidden(engine, packed)?;
        let vocabulary = engine.config.vocabulary;
        let logits: CudaSlice<f32> = self.room(vocabulary)?;
        let out = Into::Exact(self.place(&logits), vocabulary);
        self.product(self.place(&hidden), 1, &engine.head.t()?, out)?;
        self.device.clone_dtoh(&logits)
    }
}

fn rows_at_once(vocabulary: usize) -> usize {
    let rows = (LOGITS / vocabulary).max(1);
    match rows / ROWS * ROWS {
        0 => rows,
        whole => whole,
    }
}
