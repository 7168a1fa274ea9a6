//! Rotary positions, applied in place to queries and keys.

use std::ops::Range;

use super::vectorised;
use crate::config::{Config, Rope};

/// Cosines and sines of some positions.
pub(super) struct Tables {
    cosines: Vec<f32>,
    sines: Vec<f32>,
    half: usize,
}

/// For each layer; those that turn alike share one.
pub(super) struct LayerTables {
    usual: Option<Tables>,
    local: Option<Tables>,
}

impl LayerTables {
    pub(super) fn new(config: &Config, positions: Range<usize>) -> Self {
        let tables = |rope: &Rope| Tables::new(rope, positions.clone());
        let local = config.local.as_ref().and_then(|local| local.rope.as_ref());
        Self {
            usual: config.rope.as_ref().map(tables),
            local: local.map(tables),
        }
    }

    pub(super) fn of(&self, config: &Config, layer: usize) -> Option<&Tables> {
        let local = self.local.as_ref().filter(|_| config.is_local(layer));
        local.or(self.usual.as_ref())
    }
}

impl Tables {
    fn new(rope: &Rope, positions: Range<usize>) -> Self {
        let (cosines, sines) = rope.tables(positions);
        Self {
            cosines,
            sines,
            half: rope.width / 2,
        }
    }

    /// Turn the first `heads` heads of each row, which stand at these positions, one after the other.
    pub(super) fn rotate(&self, rows: &mut [f32], stride: usize, heads: usize, head: usize) {
        let half = self.half;
        vectorised(
            #[inline(always)]
            || {
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
            },
        );
    }
}
