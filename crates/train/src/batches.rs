//! Which records form the next batch.

use stats::streams::{ChaCha8Rng, Seed, shuffle, uniform};

pub(crate) enum Batches {
    /// Every row once per epoch, in an order drawn anew from the stream "order".
    Shuffled {
        rows: Vec<u32>,
        size: usize,
        stream: ChaCha8Rng,
    },
    /// Each row by its own coin, from the stream "sampling": what the privacy accountant assumes.
    Poisson {
        rows: Vec<u32>,
        rate: f64,
        drawn: Vec<u32>,
        steps: usize,
        stream: ChaCha8Rng,
    },
}

impl Batches {
    pub(crate) fn shuffled(rows: Vec<u32>, size: usize, seed: Seed) -> Self {
        Self::Shuffled {
            rows,
            size,
            stream: seed.stream("order"),
        }
    }

    /// Batches of `size` rows on average, ⌈rows / size⌉ of them per epoch.
    pub(crate) fn poisson(rows: Vec<u32>, size: usize, seed: Seed) -> Self {
        Self::Poisson {
            rate: sampling_rate(rows.len(), size),
            drawn: Vec::with_capacity(rows.len()),
            steps: rows.len().div_ceil(size),
            stream: seed.stream("sampling"),
            rows,
        }
    }

    pub(crate) fn per_epoch(&self) -> usize {
        match self {
            Self::Shuffled { rows, size, .. } => rows.len().div_ceil(*size),
            Self::Poisson { steps, .. } => *steps,
        }
    }

    pub(crate) fn begin_epoch(&mut self) {
        if let Self::Shuffled { rows, stream, .. } = self {
            shuffle(stream, rows);
        }
    }

    pub(crate) fn batch(&mut self, index: usize) -> &[u32] {
        match self {
            Self::Shuffled { rows, size, .. } => {
                let first = index * *size;
                &rows[first..rows.len().min(first + *size)]
            }
            Self::Poisson {
                rows,
                rate,
                drawn,
                stream,
                ..
            } => {
                drawn.clear();
                drawn.extend(rows.iter().filter(|_| uniform(stream) < *rate));
                drawn
            }
        }
    }
}

/// Probability of a row to be in a batch.
pub(crate) fn sampling_rate(rows: usize, size: usize) -> f64 {
    (size as f64 / rows as f64).min(1.0)
}
