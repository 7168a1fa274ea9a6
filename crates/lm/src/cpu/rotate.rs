//! Rotary positions, applied in place to queries and keys.

use std::ops::Range;

use super::vectorised;
use crate::config::Config;

/// Cosines and sines of some positions.
pub(super) struct Tables {
    cosines: Vec<f32>,
    sines: Vec<f32>,
    half: usize,
}

impl Tables {
    pub(super) fn new(config: &Config, positions: Range<usize>) -> Option<Self> {
        let rope = config.rope.as_ref()?;
        let (cosines, sines) = rope.tables(positions);
        Some(Self {
            cosines,
            sines,
            half: rope.width / 2,
        })
    }

    /// Turn the first `heads` heads of each row, which stand at these positions, one after the other.
    pub(super) fn rotate(&self, rows: &mut [f32], stride: usize, heads: usize, head: usize) {
        let half = self.half;
        vectorised(|| {
            let angles = self
                .cosines
                .chunks_exact(half)
                .zip(self.sines.chunks_exact(half));
            for (row, (cosines, sines)) in rows.chunks_exact_mut(stride).zip(angles) {
                for head in row.chunks_exact_mut(head).take(heads) {
                    let (first, rest) = head.split_at_mut(half);
                    let pairs = first.iter_mut().zip(rest.iter_mut());
                    for ((a, b), (cosine, sine)) in pairs.zip(cosines.iter().zip(sines)) {
                        (*a, *b) = (*a * cosine - *b * sine, *b * cosine + *a * sine);
                    }
                }
            }
        });
    }
}
