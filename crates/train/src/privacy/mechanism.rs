//! The Gaussian mechanism over clipped per-example gradients (Abadi et al. 2016, algorithm 1).

use stats::streams::{ChaCha8Rng, Seed};

use crate::pass::Pass;
use crate::privacy::gaussian::{BLOCK, block};

pub(crate) struct Mechanism {
    clip_norm: f64,
    /// Standard deviation of the noise on every coordinate of the sum.
    deviation: f64,
    /// What the sum is divided by: the expected batch size, as the true one is private.
    expected: f64,
    stream: ChaCha8Rng,
}

impl Mechanism {
    /// Noise is drawn from the model's stream "noise".
    pub(crate) fn new(clip_norm: f64, multiplier: f64, expected: f64, seed: Seed) -> Self {
        Self {
            clip_norm,
            deviation: multiplier * clip_norm,
            expected,
            stream: seed.stream("noise"),
        }
    }

    /// Scale down every example whose gradient is longer than the clip norm.
    pub(crate) fn clip(&self, pass: &mut Pass, rows: usize) {
        for row in 0..rows {
            let norm = pass.gradient_norm_squared(row).sqrt();
            if norm > self.clip_norm {
                pass.scale_gradient(row, (self.clip_norm / norm) as f32);
            }
        }
    }

    /// (sum + noise) / expected batch size.
    pub(crate) fn add_noise(&mut self, sum: &mut [f32]) {
        for piece in sum.chunks_mut(BLOCK) {
            let noise = block(&mut self.stream);
            for (value, noise) in piece.iter_mut().zip(noise) {
                let noised = f64::from(*value) + self.deviation * noise;
                *value = (noised / self.expected) as f32;
            }
        }
    }
}
